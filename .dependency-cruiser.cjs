/**
 * Who may know whom, as allow-lists: what a list does not name is refused. A context is a folder of src/ with the layers
 * domain, application, infrastructure and http; a new one is covered without a change here. A folder of src/platform with
 * one of these layers is held to the rules of that layer too.
 * test/conventions/layer-rules.spec.ts plants a violation of each rule and sees it fail.
 */
const NOT_SHIPPED = ['(^|/)testing/', '\\.(spec|e2e-spec|contract)\\.ts$'];
const TYPEORM_AND_DRIVERS = '(^|/)node_modules/(typeorm|@nestjs/typeorm|better-sqlite3|pg)/';
/** A context, or a folder of the platform: src/platform/http is no layer of a context called platform. */
const MODULE = 'platform/[^/]+|(?!platform/)[^/]+';
const NESTJS_COMMON = '(^|/)node_modules/@nestjs/common/';

/** What its use cases throw, and a controller that calls them promises. */
const ERRORS = '^src/[^/]+/domain/[^/]+\\.errors\\.ts$';

/** Where one context may be entered from outside; its module file is in none of its layers. */
const DOORS = [
  '^src/[^/]+/application/[^/]+\\.use-case\\.ts$',
  '^src/[^/]+/application/[^/]+-application\\.module\\.ts$',
  ERRORS,
];

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
      comment: 'The domain knows itself and src/shared: no framework, no package, no Node.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/domain/`, pathNot: NOT_SHIPPED },
      to: { pathNot: ['^src/$1/domain/', '^src/shared/(?!.*\\.module\\.ts$)'] },
    },
    {
      name: 'application-orchestrates',
      comment:
        'Use cases know their own domain, other use cases, src/shared, and of Nest what makes them injectable.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/application/`, pathNot: NOT_SHIPPED },
      to: { pathNot: ['^src/$1/(application|domain)/', ...DOORS, '^src/shared/', NESTJS_COMMON] },
    },
    {
      name: 'infrastructure-implements-ports',
      comment:
        'Adapters know the domain whose ports they implement, the ports of libs, database, settings and Node; never who calls them.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/infrastructure/`, pathNot: NOT_SHIPPED },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: [
          '^src/$1/(infrastructure|domain)/',
          '^src/$1/[^/]+\\.repository\\.ts$',
          '^src/(shared|platform/(database|config))/',
          '^libs/',
          NESTJS_COMMON,
          '(^|/)node_modules/typeorm/',
        ],
      },
    },
    {
      name: 'http-calls-use-cases',
      comment:
        'Controllers and DTOs know the use cases and the domain they show, the errors that come from other contexts, and the HTTP kit of the platform.',
      severity: 'error',
      from: { path: `^src/(${MODULE})/http/`, pathNot: NOT_SHIPPED },
      to: {
        pathNot: [
          '^src/$1/(http|application|domain)/',
          ERRORS,
          '^src/(platform/http|shared)/',
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
      comment: 'A repository port is called by use cases alone.',
      severity: 'error',
      from: { path: `^src/(?:${MODULE})/http/`, pathNot: NOT_SHIPPED },
      to: { path: '\\.(repository|record)\\.ts$' },
    },
    {
      name: 'contexts-meet-at-use-cases',
      comment:
        'From outside, a context is its module file, its use cases with their module and the errors that they throw, and the schema file that names its tables.',
      severity: 'error',
      from: { path: `^src/(${MODULE})`, pathNot: NOT_SHIPPED },
      to: {
        path: `^src/(?:${MODULE})/(domain|application|infrastructure|http)/`,
        pathNot: ['^src/$1/', ...DOORS, `^src/(?:${MODULE})/infrastructure/[^/]+\\.tables\\.ts$`],
      },
    },
    {
      name: 'layers-re-export-nothing',
      comment: 'What a file re-exports would come from its layer, whichever it is really from.',
      severity: 'error',
      from: { path: `^src/(?:${MODULE})/(domain|application|infrastructure|http)/` },
      to: { dependencyTypes: ['export'] },
    },
    {
      name: 'shared-stands-alone',
      comment:
        'What every domain may import is as plain as a domain, but for exact numbers in JSON; a module file may be Nest.',
      severity: 'error',
      from: { path: '^src/shared/', pathNot: [...NOT_SHIPPED, '\\.module\\.ts$'] },
      to: { pathNot: ['^src/shared/', '(^|/)node_modules/lossless-json/'] },
    },
    {
      name: 'platform-knows-no-context',
      comment:
        'The platform is what every context stands on. What it needs of them is handed in by src/app.module.ts.',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: NOT_SHIPPED },
      to: { path: '^src/', pathNot: '^src/(platform|shared)/' },
    },
    {
      name: 'foundation-knows-only-settings',
      comment: 'Settings, database and HTTP kit are built upon, and know nothing of what is built.',
      severity: 'error',
      from: { path: '^src/platform/(config|database|http)/', pathNot: NOT_SHIPPED },
      to: { path: '^src/', pathNot: ['^src/platform/$1/', '^src/(platform/config|shared)/'] },
    },
    {
      name: 'typeorm-stays-in-adapters',
      comment: 'TypeORM and the drivers are details of src/platform/database and of the adapters.',
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
        'A library could be installed elsewhere: it knows neither the application nor another library.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^(src|libs|test|bench)/', pathNot: '^libs/$1/' },
    },
    {
      name: 'tests-are-not-shipped',
      comment: 'What runs in production needs nothing that the build leaves out.',
      severity: 'error',
      from: { path: '^(src|libs)/', pathNot: NOT_SHIPPED },
      to: { path: [...NOT_SHIPPED, '^(test|bench)/'] },
    },
    {
      name: 'packages-are-declared',
      comment: 'What runs in production is in the dependencies of package.json.',
      severity: 'error',
      from: { path: '^(src|libs)/', pathNot: NOT_SHIPPED },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'everything-resolves',
      comment:
        'A dependency that cannot be found escapes every other rule. The benchmark is installed by itself, and measures what is built.',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: '(^|/)(node_modules|dist)/' },
    exclude: { path: '^(bench/)?dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
    },
  },
};
