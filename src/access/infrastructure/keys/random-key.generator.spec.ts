import { hashApiKey, isWellFormedApiKey } from '@animal-store/api-keys';
import { loadSettings } from '../../../settings/settings.js';
import { RandomKeyGenerator } from './random-key.generator.js';

describe('RandomKeyGenerator', () => {
  it.each([
    ['production', 'ask_live_'],
    ['staging', 'ask_test_'],
  ])('makes keys for %s that start with %s', (environment, prefix) => {
    const generator = new RandomKeyGenerator(loadSettings({ API_ENVIRONMENT: environment }));
    const { id, text, hash } = generator.generate();
    expect(isWellFormedApiKey(text, prefix)).toBe(true);
    expect(hash).toBe(hashApiKey(text));
    expect(id).toMatch(/^key_[0-9a-f]{16}$/);
  });

  it('makes no id twice', () => {
    const generator = new RandomKeyGenerator(loadSettings({}));
    expect(new Set(Array.from({ length: 1_000 }, () => generator.generate().id)).size).toBe(1_000);
  });
});
