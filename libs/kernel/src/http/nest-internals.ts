import {
  Body,
  Controller,
  HttpCode,
  Query,
  RequestMethod,
  Res,
  Sse,
  type Type,
  UsePipes,
  Version,
} from '@nestjs/common';
import { ApplicationConfig, ModulesContainer, RouterModule } from '@nestjs/core';
// eslint-disable-next-line no-restricted-syntax -- this is the one file
import { RoutePathFactory } from '@nestjs/core/router/route-path-factory.js';

// Nest has no public API for the metadata of its decorators. Only this file knows the keys, and it checks them.
const KEYS = {
  method: 'method',
  path: 'path',
  version: '__version__',
  status: '__httpCode__',
  sse: '__sse__',
  pipes: '__pipes__',
  parameters: '__routeArguments__',
  passthrough: '__responsePassthrough__',
  modulePath: '__module_path__',
} as const;

/** The metadata keys of @nestjs/swagger, which may not be installed. */
export const SWAGGER_KEYS = {
  responses: 'swagger/apiResponse',
  excluded: 'swagger/apiExcludeController',
  properties: 'swagger/apiModelProperties',
} as const;

/** The kinds of parameters, by their number in Nest. */
const KINDS = [
  'REQUEST',
  'RESPONSE',
  'NEXT',
  'BODY',
  'QUERY',
  'PARAM',
  'HEADERS',
  'SESSION',
  'FILE',
  'FILES',
  'HOST',
  'IP',
  'RAW_BODY',
] as const;

/** A parameter of a handler, as its decorator declares it. */
export interface HandlerParameter {
  /** What it is made of; null for a decorator of the application. */
  readonly kind: (typeof KINDS)[number] | null;
  readonly index: number;
  /** The name of the field, for `@Body('name')`. */
  readonly data?: unknown;
  readonly pipes: readonly unknown[];
  /** A Standard Schema, for `@Body({ schema })`. */
  readonly schema?: unknown;
  /** The function of a decorator that `createParamDecorator` made. */
  readonly factory?: object;
  /** The declared type. */
  readonly type: unknown;
}

/** What a decorator of Nest has declared of a class, a handler or, with its name, a method. */
export function declaredBy<T>(what: keyof typeof KEYS, target: object, method?: string): T | undefined {
  const key = KEYS[what];
  return (
    method === undefined ? Reflect.getMetadata(key, target) : Reflect.getMetadata(key, target, method)
  ) as T | undefined;
}

/** The path that `RouterModule` gives a module. */
export function modulePathOf(module: Type, { applicationId }: ModulesContainer): string | undefined {
  return (Reflect.getMetadata(KEYS.modulePath + applicationId, module) ??
    declaredBy('modulePath', module)) as string | undefined;
}

/** The parameters that a handler declares. A decorator of the handler may add others for itself after them. */
export function parametersOf(controller: Type, method: string): HandlerParameter[] {
  const stored = declaredBy<Record<string, HandlerParameter>>('parameters', controller, method) ?? {};
  const types = typesOf(controller, method);
  return Object.entries(stored)
    .map(([key, parameter]) => ({
      ...parameter,
      kind: KINDS[Number(key.split(':')[0])] ?? null,
      type: types?.[parameter.index],
    }))
    .filter(({ index }) => types === undefined || index < types.length)
    .sort((a, b) => a.index - b.index);
}

/** How many parameters a handler has. */
export function parameterCount(controller: Type, method: string): number {
  const indexes = parametersOf(controller, method).map(({ index }) => index);
  return typesOf(controller, method)?.length ?? Math.max(-1, ...indexes) + 1;
}

function typesOf(controller: Type, method: string): readonly unknown[] | undefined {
  const types: unknown = Reflect.getMetadata('design:paramtypes', controller.prototype as object, method);
  return types as readonly unknown[] | undefined;
}

type RoutePaths = Parameters<RoutePathFactory['create']>[0];

/** The full paths of a route, as Nest's own router makes them. */
export function routePaths(config: ApplicationConfig, paths: RoutePaths, method: RequestMethod): string[] {
  return new RoutePathFactory(config).create(paths, method);
}

@Controller({ path: 'probes', version: '1' })
class Probe {
  @Sse('first')
  @UsePipes()
  @HttpCode(203)
  @Version('2')
  read(
    @Body('name') name: string,
    @Query() query: object,
    @Res({ passthrough: true }) response: object,
  ): unknown {
    return [name, query, response];
  }
}

/** @throws Error when this version of Nest stores something elsewhere */
function checkNest(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- only its metadata are read
  const handler = Probe.prototype.read;
  const modules = new ModulesContainer();
  new RouterModule(modules, [{ path: 'zoo', module: Probe }]);
  const config = new ApplicationConfig();
  const facts: Record<string, readonly [unknown, unknown]> = {
    'the path of a controller': [declaredBy('path', Probe), 'probes'],
    'the version of a controller': [declaredBy('version', Probe), '1'],
    'the path of a handler': [declaredBy('path', handler), 'first'],
    'the version of a handler': [declaredBy('version', handler), '2'],
    'the method of a handler': [declaredBy('method', handler), RequestMethod.GET],
    'the status of a handler': [declaredBy('status', handler), 203],
    '@Sse()': [declaredBy('sse', handler), true],
    '@UsePipes()': [Array.isArray(declaredBy('pipes', handler)), true],
    'the parameters of a handler': [
      parametersOf(Probe, 'read')
        .sort((a, b) => a.index - b.index)
        .map(({ kind, data }) => [kind, data].flat().filter(Boolean).join(' '))
        .join(),
      'BODY name,QUERY,RESPONSE',
    ],
    '@Res({ passthrough })': [declaredBy('passthrough', Probe, 'read'), true],
    'the path of a module': [modulePathOf(Probe, modules), '/zoo'],
    'the path of a route': [
      routePaths(config, { modulePath: '/zoo', ctrlPath: 'probes', methodPath: 'first' }, 0).join(),
      '/zoo/probes/first',
    ],
  };
  const moved = Object.entries(facts).filter(([, [found, expected]]) => found !== expected);
  if (moved.length === 0) return;
  const names = moved.map(([name]) => name).join(', ');
  throw new Error(
    `This version of Nest stores ${names} elsewhere. Use a version that this package supports.`,
  );
}

checkNest();
