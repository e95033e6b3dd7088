export { type ApiDescription, describeApi } from './document.js';
export {
  DayField,
  DecimalField,
  EnumField,
  IN_A_YEAR,
  InstantField,
  Int64Field,
  int64Id,
  TextField,
} from './schemas/fields.js';
export { errorsOfOperations } from './operation-description.js';
export { Operation, Tag } from './operation.decorator.js';
export { type EventDeclaration, Webhooks } from './webhooks.decorator.js';
