import PackagesEnvironment from '../support/packages.environment.mjs';

/** Skips what follows the first test that fails: one is enough to notice a change. */
export default class FirstFailureEnvironment extends PackagesEnvironment {
  #hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_done') this.#hasFailed ||= test.errors.length > 0;
    if (name === 'test_start' && this.#hasFailed) test.mode = 'skip';
  }
}
