import { exactNumbers, indentedJson } from './exact-numbers.js';

describe('indentedJson', () => {
  it.each([
    ['[]', '[]'],
    ['{}', '{}'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['{"id":9223372036854775807}', '{\n  "id": 9223372036854775807\n}'],
    ['[ {"a" : [1,\n2], "b":{} } ]', '[\n  {\n    "a": [\n      1,\n      2\n    ],\n    "b": {}\n  }\n]'],
    ['{"name":"a, [\\"b\\"]: {c}\\\\"}', '{\n  "name": "a, [\\"b\\"]: {c}\\\\"\n}'],
    ['[1.50,1e3,true,null]', '[\n  1.50,\n  1e3,\n  true,\n  null\n]'],
  ])('spreads %s over lines and changes no value', (text, indented) => {
    expect(indentedJson(text)).toBe(indented);
  });
});

describe('exactNumbers', () => {
  const React = {
    createElement: (type: unknown, props: object | null) => ({ type, props }),
    useState: <State>(initial: State): [State, () => void] => [initial, () => undefined],
  };
  const Original = () => ({ type: 'original' });

  it('leaves bodies that are not JSON as they are', () => {
    const ResponseBody = exactNumbers().wrapComponents.responseBody(Original, { React });
    const props = { content: 'Moved', contentType: 'text/html', getComponent: () => Original };

    expect(ResponseBody(props)).toEqual({ type: Original, props });
  });
});
