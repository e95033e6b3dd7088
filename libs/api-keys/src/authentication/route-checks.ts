import {
  type CanActivate,
  Inject,
  Injectable,
  type OnModuleInit,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { ApplicationConfig, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { Scopes } from '../scope.js';
import { CallerGuard } from './caller.guard.js';
import { KeyRequiredGuard } from './key-required.guard.js';
import { requiredScopes } from './required-scopes.js';

type Handler = Parameters<typeof requiredScopes>[1];
type Guard = CanActivate | Type<CanActivate>;

/** Where Nest stores what `@UseGuards()` names. */
const GUARDS = guardsKey();

/** A configuration that would refuse every caller is an error at the start. */
@Injectable()
export class RouteChecks implements OnModuleInit {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    private readonly scopes: Scopes,
  ) {}

  /** @throws Error for a scope that nobody has defined, and for `KeyRequiredGuard` without `CallerGuard` before it */
  onModuleInit(): void {
    const scanner = new MetadataScanner();
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    for (const controller of new Set(controllers.map(({ metatype }) => metatype as Type))) {
      const prototype = controller.prototype as Readonly<Record<string, Handler>>;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const route = `${controller.name}.${name}`;
        this.checkScopes(route, requiredScopes(controller, prototype[name]!) ?? []);
        this.checkGuards(route, [controller, prototype[name]!]);
      }
    }
  }

  private checkScopes(route: string, scopes: readonly string[]): void {
    for (const scope of scopes) {
      const problem = this.scopes.problemOf(scope);
      if (problem)
        throw new Error(`${route}: ${problem} Add defineScope('${scope}') to the scopes of ApiKeysModule.`);
    }
  }

  private checkGuards(route: string, targets: readonly object[]): void {
    const bound = targets.flatMap((target) => (Reflect.getMetadata(GUARDS, target) ?? []) as Guard[]);
    const guards: readonly Guard[] = [...this.config.getGlobalGuards(), ...bound];
    const [caller, required] = [CallerGuard, KeyRequiredGuard].map((type) =>
      guards.findIndex((guard) => guard === type || isA(type, guard)),
    ) as [number, number];
    if (required >= 0 && (caller < 0 || caller > required))
      throw new Error(
        `${route}: KeyRequiredGuard needs CallerGuard, or a class that extends it, before it. Without it every key is invalid.`,
      );
  }
}

function isA(type: Type, guard: Guard): boolean {
  return guard instanceof type || (typeof guard === 'function' && guard.prototype instanceof type);
}

function guardsKey(): string {
  class Probe {}
  UseGuards({ canActivate: () => true })(Probe);
  return Reflect.getMetadataKeys(Probe)[0] as string;
}
