/**
 * Supertest writes the stack of every expectation as text, with the lines of the sources, in case it fails: a tenth of
 * the time of a suite that sends requests. This writes it when it has failed.
 */
module.exports = function writeStacksOfFailures({ Test }) {
  const { expect } = Test.prototype;
  Test.prototype.expect = function (...given) {
    const known = this._asserts.length;
    const place = {};
    Error.captureStackTrace(place, this.expect);
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      expect.apply(this, given);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    const added = this._asserts.splice(known).map((assert) => (response) => {
      const error = assert(response);
      if (error) error.stack = error.stack.replace('----', place.stack.replace(/^.*\n/, ''));
      return error;
    });
    this._asserts.push(...added);
    return this;
  };
};
