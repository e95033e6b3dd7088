/**
 * Who may import whom, as allow-lists: everything else is refused. A context is a folder of src/ with the layers
 * domain, application, infrastructure, http and jobs; a new one is covered without a change here. A test plants a
 * violation of each rule and expects it to be found.
 */
const NOT_SHIPPED = ['(^|/)testing/', '\\.(spec|e2e-spec|contract)\\.ts$'];
const TYPEORM_AND_DRIVERS = '(^|/)node_modules/(typeorm|@nestjs/typeorm|better-sqlite3|pg)/';
const NESTJS_COMMON = '(^|/)node_modules/@nestjs/common/';

/** The packages of libs/, layer upon layer: one may import those on the layers below. */
const LAYERS = [
  ['kernel'],
  ['api-keys', 'rate-limiting', 'deprecation', 'http-errors', 'fast-express', 'idempotency', 'database'],
  ['jobs'],
  ['web'],
  ['operations'],
  ['openapi'],
];

/** What a package shows: its index and those of its named subpaths. */
const FACES =
  '^libs/[^/]+/(src/)?((pages|outgoing|http|testing|issuing|typeorm|idempotency)/)?(index|swagger)\\.ts$';

const faceOf = (...names) => `^libs/(${names.join('|')})/src/(pages/)?(index|swagger)\\.ts$`;

/** What sends requests to other hosts. */
const OUTGOING = '^libs/web/src/outgoing/index\\.ts$';

/** The keys of a Nest application, in plain TypeScript: the domain of src/access has them as its own. */
const ISSUING = '^libs/api-keys/src/issuing/index\\.ts$';

/** The errors of its use cases, which controllers that call them list. */
const ERRORS = '^src/[^/]+/domain/[^/]+\\.errors\\.ts$';

/** The constants and rules of the language of a context, in one file: `pets/domain/pet.rules.ts`. */
const RULES = '^src/[^/]+/domain/[^/]+\\.rules\\.ts$';

/** The files of a context that others may import, beside the module of the whole context. */
const DOORS = ['^src/[^/]+/application/[^/]+\\.(use-case|service)\\.ts$', ERRORS, RULES];

/** Of a layer, or of a whole context: it connects what the layers must not import from one another. */
const MODULE = '\\.module\\.ts$';

/** What the HTTP layer of a context has for the controllers of others, such as a guard and its decorator. */
const GUARDS = '^src/[^/]+/http/[^/]+\\.(guard|decorator)\\.ts$';

/** What a context announces, for the jobs of others. */
const EVENTS = '^src/[^/]+/domain/[^/]+\\.events\\.ts$';

/** The events and scopes that a context declares, and their lists: what is sent has the classes of its responses. */
const DECLARED = '^src/[^/]+/http/[^/]+-(events|scopes)\\.ts$';
const ALL_DECLARED = '^src/(contexts|events)\\.ts$';

/** The files of a module in the style of Nest's documentation that know TypeORM. */
const STOCK = '^src/[^/]+/((entities/)?[^/]+\\.(entity|service|tables)|migrations/[^/]+)\\.ts$';

/** What handlers know of their caller. */
const KEY_FACTS = '^src/access/key-facts\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'No file may depend on itself through others, not even through types. What two files need goes into a third: <one>.rules.ts.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-is-plain',
      comment:
        'The domain may import only itself, the rules of other contexts, the kernel and what keys are: no framework, no other package, no Node.',
      severity: 'error',
      from: { path: '^src/([^/]+)/domain/', pathNot: NOT_SHIPPED },
      to: { pathNot: ['^src/$1/domain/', RULES, faceOf('kernel'), ISSUING] },
    },
    {
      name: 'application-orchestrates',
      comment:
        'Use cases may import their own domain, other use cases, the kernel, what keys are, and the injection decorators of Nest.',
      severity: 'error',
      from: { path: '^src/([^/]+)/application/', pathNot: [...NOT_SHIPPED, MODULE] },
      to: { pathNot: ['^src/$1/(application|domain)/', ...DOORS, faceOf('kernel'), ISSUING, NESTJS_COMMON] },
    },
    {
      name: 'infrastructure-implements-ports',
      comment:
        'Adapters may import the domain whose ports they implement, the packages whose ports they implement, settings and Node, but never their callers.',
      severity: 'error',
      from: { path: '^src/([^/]+)/infrastructure/', pathNot: [...NOT_SHIPPED, MODULE] },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: [
          '^src/$1/(infrastructure|domain)/',
          '^src/$1/[^/]+\\.repository\\.ts$',
          RULES,
          KEY_FACTS,
          '^src/settings/settings\\.ts$',
          faceOf('kernel', 'database', 'jobs', 'api-keys', 'rate-limiting'),
          ISSUING,
          '^libs/api-keys/src/typeorm/index\\.ts$',
          OUTGOING,
          NESTJS_COMMON,
          '(^|/)node_modules/typeorm/',
        ],
      },
    },
    {
      name: 'http-calls-use-cases',
      comment:
        'Controllers and DTOs may import their use cases and domain, the errors, rules, guards and decorators of other contexts, and the packages that speak HTTP.',
      severity: 'error',
      from: { path: '^src/([^/]+)/http/', pathNot: NOT_SHIPPED },
      to: {
        pathNot: [
          '^src/$1/(http|application|domain)/',
          ERRORS,
          RULES,
          GUARDS,
          KEY_FACTS,
          ALL_DECLARED,
          ISSUING,
          '^libs/kernel/src/http/index\\.ts$',
          '^(node:)?http$',
          faceOf(
            'kernel',
            'api-keys',
            'rate-limiting',
            'deprecation',
            'http-errors',
            'web',
            'idempotency',
            'openapi',
          ),
          '(^|/)node_modules/@nestjs/(common|core|swagger|throttler)/',
          '(^|/)node_modules/(class-(validator|transformer)|rxjs)/',
        ],
      },
    },
    {
      name: 'jobs-call-use-cases',
      comment:
        'Jobs are a way in, as controllers are: they may import their use cases and domain, use cases and events of other contexts, and the package of jobs.',
      severity: 'error',
      from: { path: '^src/(?!programs/)([^/]+)/jobs/', pathNot: NOT_SHIPPED },
      to: {
        pathNot: [
          '^src/$1/(jobs|application|domain)/',
          ...DOORS,
          EVENTS,
          faceOf('kernel', 'jobs'),
          NESTJS_COMMON,
        ],
      },
    },
    {
      name: 'http-knows-no-repository',
      comment:
        'A controller or a job may inject the port of its own context for a read that decides nothing. Commands call use cases.',
      severity: 'error',
      from: {
        path: ['^src/(?!programs/)([^/]+)/(http|jobs)/', '^src/programs/(keys|jobs)/'],
        pathNot: NOT_SHIPPED,
      },
      to: { path: '\\.(repository|record)\\.ts$', pathNot: '^src/$1/domain/[^/]+\\.repository\\.ts$' },
    },
    {
      name: 'command-line-calls-use-cases',
      comment:
        'The command line is a second way in to src/access, as its controllers would be: it may import its use cases and domain, never its adapters.',
      severity: 'error',
      from: { path: '^src/programs/keys/', pathNot: NOT_SHIPPED },
      to: {
        path: '^src/[^/]+/',
        pathNot: [
          '^src/programs/',
          '^src/access/(application|domain)/',
          '^src/access/[^/]+\\.module\\.ts$',
          '^src/access/infrastructure/[^/]+\\.tables\\.ts$',
          '^src/settings/',
        ],
      },
    },
    {
      name: 'contexts-meet-at-use-cases',
      comment:
        'Other folders may import only the module file of a context, its use cases with their errors, its rules, its events, its guards and decorators, and the file that lists its tables.',
      severity: 'error',
      from: { path: '^src/([^/]+)', pathNot: [...NOT_SHIPPED, '^src/programs/keys/'] },
      to: {
        path: '^src/(?!programs/)[^/]+/(domain|application|infrastructure|http|jobs)/',
        pathNot: [
          '^src/$1/',
          ...DOORS,
          EVENTS,
          GUARDS,
          DECLARED,
          '^src/[^/]+/infrastructure/[^/]+\\.tables\\.ts$',
        ],
      },
    },
    {
      name: 'layers-re-export-nothing',
      comment: 'A re-export would look as if it came from the layer of the re-exporting file.',
      severity: 'error',
      from: { path: '^src/(?!programs/)[^/]+/(domain|application|infrastructure|http|jobs)/' },
      to: { dependencyTypes: ['export'] },
    },
    {
      name: 'kernel-is-plain',
      comment:
        'Every domain may use the kernel, so it is as plain as a domain, except for exact numbers in JSON and the context of background work.',
      severity: 'error',
      // The objects of HTTP servers are for packages, not for a domain.
      from: { path: '^libs/kernel/', pathNot: [...NOT_SHIPPED, '^libs/kernel/src/http/'] },
      to: { pathNot: ['^libs/kernel/', '(^|/)node_modules/lossless-json/', '^(node:)?async_hooks$'] },
    },
    {
      name: 'issuing-is-plain',
      comment: 'A domain may use it, so it is as plain as a domain, except for random bytes and hashes.',
      severity: 'error',
      from: { path: '^libs/api-keys/src/issuing/', pathNot: NOT_SHIPPED },
      to: {
        pathNot: [
          '^libs/api-keys/src/issuing/',
          '^libs/api-keys/src/(api-key|api-key\\.store|scope)\\.ts$',
          faceOf('kernel'),
          '^(node:)?crypto$',
        ],
      },
    },
    {
      name: 'packages-know-no-service',
      comment: 'A package knows neither the service nor its tests.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(src|test|bench)/' },
    },
    ...LAYERS.map((names, layer) => ({
      name: 'packages-import-downwards',
      comment: `On the layers below: ${LAYERS.slice(0, layer).flat().join(', ') || 'nothing'}.`,
      severity: 'error',
      from: { path: `^libs/(${names.join('|')})/` },
      to: { path: '^libs/', pathNot: ['^libs/$1/', `^libs/(${LAYERS.slice(0, layer).flat().join('|')})/`] },
    })),
    {
      name: 'packages-have-a-layer',
      comment: 'A package that no layer names could import any other.',
      severity: 'error',
      from: { path: '^libs/', pathNot: `^libs/(${LAYERS.flat().join('|')})/` },
      to: {},
    },
    {
      name: 'packages-have-faces',
      comment: 'What a package does not export is its own.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', FACES] },
    },
    {
      name: 'service-sees-faces',
      comment: 'Nothing deeper than the face of a package is imported.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^libs/', pathNot: FACES },
    },
    {
      name: 'typeorm-stays-in-adapters',
      comment:
        'Only the package of the database, the stores of packages and the adapters may import TypeORM and the drivers.',
      severity: 'error',
      from: {
        path: '^(src|libs)/',
        pathNot: [
          ...NOT_SHIPPED,
          '^libs/database/',
          '^libs/(api-keys|idempotency)/src/typeorm/',
          '^libs/web/src/idempotency/',
          '^(libs|src)/([^/]+|[^/]+/src)/infrastructure/',
          STOCK,
        ],
      },
      to: { path: TYPEORM_AND_DRIVERS },
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
