export { type ApiDescription, describeApi } from './document.js';
export {
  DayField,
  DecimalField,
  EnumField,
  IN_A_YEAR,
  InstantField,
  Int64Field,
  TextField,
} from './fields.js';
export { int64Id } from './int64.schema.js';
export { errorsOfOperations, Operation, Tag } from './operation.decorator.js';
export { type EventDeclaration, Webhooks } from './webhooks.decorator.js';
