/**
 * The bytes of base64url text as RFC 7515 §2 has it: no padding, no white space, no bits left over; undefined for anything
 * else. Node decodes all of those, so that one signature would have many spellings.
 */
export const decodeBase64url = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
