import { createHash, randomBytes } from 'node:crypto'

/** Whoever can sign a personal message (ERC-191), such as an account of viem. */
export type MessageSigner = {
  address: string
  signMessage(message: { message: string }): Promise<`0x${string}`>
}

const validSeconds = 60

/** The headers that sign a request as ERC-8128 says (draft of August 2026); a `body` is JSON. */
export const signRequest = async (
  { address, signMessage }: MessageSigner,
  { method, url, body, now = new Date() }: { method: string; url: string; body?: string; now?: Date },
): Promise<Record<string, string>> => {
  const { protocol, host, pathname, search } = new URL(url)
  const created = Math.floor(now.getTime() / 1000)
  const headers: Record<string, string> =
    body === undefined
      ? {}
      : {
          'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
          'content-type': 'application/json',
        }
  const covered = Object.entries({
    '@scheme': protocol.slice(0, -1),
    '@authority': host,
    '@method': method,
    '@path': pathname,
    '@query': search || '?',
    ...headers,
  })
  const names = covered.map(([name]) => `"${name}"`).join(' ')
  const nonce = randomBytes(16).toString('base64url')
  const input = `(${names});created=${created};expires=${created + validSeconds};nonce="${nonce}";keyid="eip155:8453:${address.toLowerCase()}";tag="erc8128"`
  const base = [...covered.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${input}`]
  const signature = await signMessage({ message: base.join('\n') })
  return {
    ...headers,
    'signature-input': `request=${input}`,
    signature: `request=:${Buffer.from(signature.slice(2), 'hex').toString('base64')}:`,
  }
}
