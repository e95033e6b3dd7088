/** The benchmark, and the application of the tutorials as a compiler leaves it: packages stay packages. */
export default {
  input: [
    'bench/bench.ts',
    'bench/bytes/bytes.ts',
    'bench/compare-adapters.ts',
    'bench/compare-libraries.ts',
    'bench/compare-limits.ts',
    'bench/pooling.ts',
    'bench/webhooks.ts',
    'bench/peers/bare.ts',
    'bench/peers/library.ts',
    'bench/peers/tutorial-nest.ts',
  ],
  // The runtime of decorators is bundled: nobody else has it.
  platform: 'node',
  tsconfig: 'bench/tsconfig.json',
  // What only tests use is not in a built package.
  external: /^(?!@oxc-project|@animal-store\/[\w-]+\/testing$)[@a-z]/,
  resolve: { conditionNames: ['source', 'node', 'import'] },
  output: { dir: 'bench/dist', keepNames: true },
};
