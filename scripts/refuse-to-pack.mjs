// The `prepack` of each library. Its folder has sources, and links to the build of the service: that is no package.
process.stderr.write(
  'Not from this folder: publish the tarballs that `npm run dev -- libs:pack` writes (docs/releasing.md).\n',
);
process.exitCode = 1;
