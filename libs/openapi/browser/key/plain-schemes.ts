import type { Stored, SwaggerUi } from '../swagger-ui.js';

type Resolve = (path: readonly string[]) => unknown;

/**
 * A plugin of Swagger UI: it takes the security schemes as the document has them, without references. Swagger UI would
 * resolve the references of the whole document for them, before it draws an operation.
 */
export function plainSchemes() {
  const requestResolvedSubtree =
    (original: Resolve, { specActions, specSelectors }: SwaggerUi) =>
    (path: readonly string[]): unknown => {
      if (path.join('.') !== 'components.securitySchemes') return original(path);
      const schemes = specSelectors.specJson().getIn(path) as Stored;
      return specActions.updateResolvedSubtree(path, schemes.toJS());
    };
  return { statePlugins: { spec: { wrapActions: { requestResolvedSubtree } } } };
}
