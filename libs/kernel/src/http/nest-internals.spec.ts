describe('What the packages know of the insides of Nest', () => {
  afterEach(() => jest.resetModules());

  it.each([
    ['the status of a handler', { HttpCode: () => () => undefined }],
    ['the version of a handler', { Version: () => () => undefined }],
  ])('is checked when it is loaded: %s', (name, replaced) => {
    jest.isolateModules(() => {
      jest.doMock('@nestjs/common', () => ({
        ...jest.requireActual<object>('@nestjs/common'),
        ...replaced,
      }));
      expect(() => jest.requireActual<object>('./nest-internals.js')).toThrow(
        `This version of Nest stores ${name} elsewhere.`,
      );
    });
  });
});
