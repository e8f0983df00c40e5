/** Cuts a text at so many bytes of UTF-8, never within a character. */
export const cutBytes = (text: string, maxBytes: number): { text: string; isCut: boolean } => {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return { text, isCut: false }
  return {
    text: bytes
      .subarray(0, maxBytes)
      .toString()
      .replace(/\ufffd$/, ''),
    isCut: true,
  }
}
