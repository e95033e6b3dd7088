/** The benchmark, and the application of the tutorials as a compiler leaves it: packages stay packages. */
export default {
  input: [
    'bench/bench.ts',
    'bench/bytes/bytes.ts',
    'bench/compare-limits.ts',
    'bench/peers/tutorial-nest.ts',
  ],
  // The runtime of decorators is bundled: nobody else has it.
  platform: 'node',
  tsconfig: 'bench/tsconfig.json',
  external: /^(?!@oxc-project)[@a-z]/,
  output: { dir: 'bench/dist', keepNames: true },
};
