import { addressSubject } from './address-subject.js';

describe('addressSubject', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::7', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::1'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['::ffff:203.0.113.9:44', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8::/64'],
    ['[2001:db8::1]', '2001:db8::/64'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ])('counts %s as %s', (ip, subject) => {
    expect(addressSubject(ip)).toBe(subject);
  });

  it.each([
    undefined,
    '',
    'unknown',
    '203.0.113.7:port',
    '999.0.0.1:4711',
    '[203.0.113.7',
    '::ffff:999.0.0.1',
    '1.2.3',
    'x'.repeat(10_000),
  ])('counts everything that is not an address as one caller: %.20s', (text) => {
    expect(addressSubject(text)).toBe('unknown');
  });
});
