// Stands for a module of a bundled package that the bundle lacks.
throw new Error(
  'The second line of this stack imports a module that the bundle of the tests lacks: add its name to IMPORTED in test/support/bundled-packages.mjs.',
);
