/**
 * Who may import whom, as allow-lists: everything else is refused. A context is a folder of src/ with the layers
 * domain, application, infrastructure and http. A new one is covered without a change here. A folder of src/platform
 * with one of these layers follows the rules of that layer too. test/conventions/layer-rules.spec.ts plants a violation
 * of each rule and expects it to be found.
 */
const NOT_SHIPPED = ['(^|/)testing/', '\\.(spec|e2e-spec|contract)\\.ts$'];
const TYPEORM_AND_DRIVERS = '(^|/)node_modules/(typeorm|@nestjs/typeorm|better-sqlite3|pg)/';
/** A context, or a folder of the platform. src/platform/http is not a layer of a context called platform. */
const MODULE = 'platform/[^/]+|(?!platform/)[^/]+';
const NESTJS_COMMON = '(^|/)node_modules/@nestjs/common/';

/** The face of the package that every domain may use. */
const KERNEL = '^libs/kernel/src/index\\.ts$';

/** The errors of its use cases, which controllers that call them list. */
const ERRORS = '^src/[^/]+/domain/[^/]+\\.errors\\.ts$';

/** The files of a context that others may import. Its module file belongs to no layer. */
const DOORS = ['^src/[^/]+/application/[^/]+\\.use-case\\.ts$', ERRORS];

/** What handlers know of their caller. */
const KEY_FACTS = '^src/access/key-facts\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'No file may depend on itself through others, not even through types.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-is-plain',
      comment: 'The domain may import only itself and the kernel: no framework, no other package, no Node.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/domain/`, pathNot: NOT_SHIPPED },
      to: { pathNot: ['^src/$1/domain/', KERNEL] },
    },
    {
      name: 'application-orchestrates',
      comment:
        'Use cases may import their own domain, other use cases, the kernel, and the injection decorators of Nest.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/application/`, pathNot: NOT_SHIPPED },
      to: { pathNot: ['^src/$1/(application|domain)/', ...DOORS, KERNEL, NESTJS_COMMON] },
    },
    {
      name: 'infrastructure-implements-ports',
      comment:
        'Adapters may import the domain whose ports they implement, the ports of libs, database, settings and Node, but never their callers.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/infrastructure/`, pathNot: NOT_SHIPPED },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: [
          '^src/$1/(infrastructure|domain)/',
          '^src/$1/[^/]+\\.repository\\.ts$',
          KEY_FACTS,
          '^src/platform/(database|config)/',
          '^libs/',
          NESTJS_COMMON,
          '(^|/)node_modules/typeorm/',
        ],
      },
    },
    {
      name: 'http-calls-use-cases',
      comment:
        'Controllers and DTOs may import their use cases and domain, the errors of other contexts, and src/platform/http.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/http/`, pathNot: NOT_SHIPPED },
      to: {
        pathNot: [
          '^src/$1/(http|application|domain)/',
          ERRORS,
          KEY_FACTS,
          '^src/platform/http/',
          '^src/platform/idempotency/[^/]+\\.decorator\\.ts$',
          '^(node:)?http$',
          '^libs/',
          '(^|/)node_modules/@nestjs/(common|core|swagger|throttler)/',
          '(^|/)node_modules/class-(validator|transformer)/',
        ],
      },
    },
    {
      name: 'http-knows-no-repository',
      comment: 'Only use cases call a repository port.',
      severity: 'error',
      from: { path: [`^src/(?:${MODULE})/http/`, '^src/keys/'], pathNot: NOT_SHIPPED },
      to: { path: '\\.(repository|record)\\.ts$' },
    },
    {
      name: 'command-line-calls-use-cases',
      comment:
        'The command line is a second way in to src/access, as its controllers would be: it may import its use cases and domain, never its adapters.',
      severity: 'error',
      from: { path: '^src/keys/', pathNot: NOT_SHIPPED },
      to: {
        path: `^src/(?:${MODULE})/`,
        pathNot: [
          '^src/keys/',
          '^src/access/(application|domain)/',
          '^src/access/[^/]+\\.module\\.ts$',
          '^src/access/infrastructure/[^/]+\\.tables\\.ts$',
          '^src/platform/(config|database)/',
        ],
      },
    },
    {
      name: 'contexts-meet-at-use-cases',
      comment:
        'Other folders may import only the module file of a context, its use cases with their errors, and the file that lists its tables.',
      severity: 'error',
      from: { path: `^src/(${MODULE})`, pathNot: [...NOT_SHIPPED, '^src/keys/'] },
      to: {
        path: `^src/(?:${MODULE})/(domain|application|infrastructure|http)/`,
        pathNot: ['^src/$1/', ...DOORS, `^src/(?:${MODULE})/infrastructure/[^/]+\\.tables\\.ts$`],
      },
    },
    {
      name: 'layers-re-export-nothing',
      comment: 'A re-export would look as if it came from the layer of the re-exporting file.',
      severity: 'error',
      from: { path: `^src/(?:${MODULE})/(domain|application|infrastructure|http)/` },
      to: { dependencyTypes: ['export'] },
    },
    {
      name: 'kernel-is-plain',
      comment:
        'Every domain may use the kernel, so it is as plain as a domain, except for exact numbers in JSON.',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: NOT_SHIPPED },
      to: { pathNot: ['^libs/kernel/', '(^|/)node_modules/lossless-json/'] },
    },
    {
      name: 'platform-knows-no-context',
      comment: 'The platform does not import contexts. src/app.module.ts passes in what it needs of them.',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: NOT_SHIPPED },
      to: { path: '^src/', pathNot: '^src/platform/' },
    },
    {
      name: 'foundation-knows-only-settings',
      comment: 'Settings, database and HTTP code do not import what is built on them.',
      severity: 'error',
      from: { path: '^src/platform/(config|database|http)/', pathNot: NOT_SHIPPED },
      to: { path: '^src/', pathNot: ['^src/platform/$1/', '^src/platform/config/'] },
    },
    {
      name: 'typeorm-stays-in-adapters',
      comment: 'Only src/platform/database and the adapters may import TypeORM and the drivers.',
      severity: 'error',
      from: {
        path: '^(src|libs)/',
        pathNot: [...NOT_SHIPPED, '^src/platform/database/', `^src/(?:${MODULE})/infrastructure/`],
      },
      to: { path: TYPEORM_AND_DRIVERS },
    },
    {
      name: 'libs-stand-alone',
      comment:
        'A library could be installed elsewhere: it knows neither the application nor another library but the kernel.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: {
        path: '^(src|libs|test|bench)/',
        pathNot: ['^libs/$1/', '^libs/kernel/src/(testing/)?index\\.ts$'],
      },
    },
    {
      name: 'tests-are-not-shipped',
      comment: 'Production code must not import code that the build excludes.',
      severity: 'error',
      from: { path: '^(src|libs)/', pathNot: NOT_SHIPPED },
      to: { path: [...NOT_SHIPPED, '^(test|bench)/'] },
    },
    {
      name: 'packages-are-declared',
      comment:
        'Packages of production code must be in the dependencies of package.json, those of a library in its own.',
      severity: 'error',
      from: { path: '^(src|libs)/', pathNot: NOT_SHIPPED },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only', 'npm-peer'],
      },
    },
    {
      name: 'everything-resolves',
      comment:
        'An import that cannot be resolved would bypass every other rule. The benchmark is a separate package with its own dependencies.',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: '(^|/)(node_modules|dist)/' },
    exclude: { path: ['^(bench/)?dist/', '^libs/[^/]+/dist'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
    },
  },
};
