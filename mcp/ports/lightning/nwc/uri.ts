/** A wallet that answers over a relay: `nostr+walletconnect://<its key>?relay=<address>&secret=<our key>` (NIP-47). */
export type Connection = { wallet: string; relay: string; secret: string }

/** The connection in such an address; undefined for what is none. */
export const parseConnection = (text: string): Connection | undefined => {
  if (!URL.canParse(text)) return undefined
  const { protocol, host, pathname, searchParams } = new URL(text)
  if (protocol !== 'nostr+walletconnect:' && protocol !== 'nostrwalletconnect:') return undefined
  const wallet = host || pathname.replaceAll('/', '')
  const relay = searchParams.get('relay') ?? ''
  const secret = searchParams.get('secret') ?? ''
  const isKey = (key: string) => /^[0-9a-f]{64}$/.test(key)
  const isRelay = URL.canParse(relay) && /^wss?:$/.test(new URL(relay).protocol)
  return isKey(wallet) && isKey(secret) && isRelay ? { wallet, relay, secret } : undefined
}
