import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** A key pair with a self-signed certificate for `localhost` (RFC 5280, version 1). */
export function selfSigned(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(SET, sequence(COMMON_NAME, der(UTF8_STRING, Buffer.from('localhost')))));
  const validity = sequence(time('200101000000Z'), time('491231235959Z'));
  const facts = sequence(
    der(INTEGER, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', facts, privateKey));
  const certificate = sequence(facts, ECDSA_WITH_SHA256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  };
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
/** The object identifiers 2.5.4.3 and 1.2.840.10045.4.3.2. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_WITH_SHA256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));

function time(text: string): Buffer {
  return der(UTC_TIME, Buffer.from(text));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(SEQUENCE, ...parts);
}

/** A value in DER: its tag, its length in as few bytes as possible, and the value itself. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const bytes = value.length.toString(16).length > 2 ? 2 : 1;
  const length = Buffer.alloc(bytes);
  length.writeUIntBE(value.length, 0, bytes);
  const isShort = value.length < 0x80;
  return Buffer.concat([Buffer.from(isShort ? [tag] : [tag, 0x80 + bytes]), length, value]);
}
