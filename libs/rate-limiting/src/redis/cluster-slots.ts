const SLOTS = 16_384;

/** CRC-16/XMODEM of each byte, from which that of a text is put together. */
const CRC_OF_BYTE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

/**
 * The slot of a key in a Redis Cluster: of what is between the first braces, if there is anything, otherwise of the
 * whole key, as the specification of Redis Cluster says.
 */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open + 1);
  const tag = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) crc = (crc << 8) ^ CRC_OF_BYTE[((crc >> 8) ^ byte) & 0xff]!;
  return (crc & 0xffff) % SLOTS;
}
