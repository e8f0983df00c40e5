/** Signatures of this installation. */
export type Sign = {
  /** Ed25519 signature over the UTF-8 bytes of a text, base64url. */
  ed25519(payload: string): string
  /** True for an Ed25519 signature, base64url, that this installation made over a text, with its key or the one before. */
  isOurs(payload: string, signature: string): boolean
  /** Compact JWS (EdDSA) over the claims as JSON; `kid` and `typ` in its header. */
  jws(claims: Readonly<Record<string, unknown>>, typ: string): string
  /** Checks one of our own compact JWS and reads its claims. */
  open(jws: string): Record<string, unknown> | undefined
  /** Key id of the Ed25519 key, an RFC 7638 thumbprint. */
  readonly ed25519Kid: string
  /** The Ed25519 public key, base64url. */
  readonly ed25519PublicKey: string
  /** That key and, while keys are rotated, the one before. */
  readonly ed25519PublicKeys: readonly string[]
  /** The x-only secp256k1 key that Nostr events are signed with, and BIP-340 signatures over 32 bytes; all in hexadecimal. */
  bip340(): Promise<{ readonly publicKey: string; sign(digest: string): string }>
  /** Detached JWS entries (ES256) over a canonical JSON text. `jku` is where the public key is published. */
  es256(payload: string, jku: string): Promise<{ protected: string; signature: string }>
  /** The public keys, as a JWK set. */
  jwks(): Promise<{ keys: object[] }>
}
