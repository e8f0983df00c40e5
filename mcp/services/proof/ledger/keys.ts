import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { appendLeaf, type Leaf } from './leaf.ts'

/** Signers of events and checkpoints. */
export type PublicKeys = { bip340: string; ed25519: string }

type Scheme = keyof PublicKeys

/** A key and the time that it was in use; a key that came back stands in the list twice. */
export type KeyPeriod = {
  scheme: Scheme
  /** `bip340` x-only, `ed25519` as RFC 8032 has it; both in hexadecimal. */
  public_key: string
  valid_from: string
  /** Null while it is in use. */
  valid_until: string | null
  /** The leaf that made it known. */
  index: number
}

export const loadPublicKeys = async (sign: Ports['sign']): Promise<PublicKeys> => ({
  bip340: (await sign.bip340()).publicKey,
  ed25519: Buffer.from(sign.ed25519PublicKey, 'base64url').toString('hex'),
})

type KeysInUse = PublicKeys & { id: string }

const keysIn = collection<KeysInUse>({
  name: 'proof.keys',
  bounded: 'The keys of the installation.',
})

const schemes: readonly Scheme[] = ['bip340', 'ed25519']

/** Enters the keys of this installation as leaves where they are not the ones in use: at the first start, and when they change. */
export const enterKeys = async (tx: Tx, keys: PublicKeys, now: Date): Promise<void> => {
  const inUse = await keysIn(tx).get('current')
  for (const scheme of schemes)
    if (inUse?.[scheme] !== keys[scheme])
      await appendLeaf(tx, { type: 'key', scheme, public_key: keys[scheme] }, now)
  await keysIn(tx).put({ id: 'current', ...keys })
}

/** Refuses to sign with keys that another replica has replaced. */
export const requireCurrentKeys = async (tx: Pick<Tx, 'collection'>, keys: PublicKeys): Promise<void> => {
  const inUse = await keysIn(tx).get('current')
  if (schemes.every(scheme => inUse?.[scheme] === keys[scheme])) return
  throw new ToolError('unavailable', 'The signing key of this replica was replaced.', {
    hint: 'The operator starts this replica again with the OCTAGENT_SIGNING_KEY that the others have.',
    retryAfter: 30,
  })
}

/** The list of keys as the leaves tell it, oldest first. */
export const openKeyList = () => {
  const periods: KeyPeriod[] = []
  return {
    add({ type, scheme, public_key, committed_at }: Leaf, index: number): void {
      if (type !== 'key' || !scheme || public_key === undefined) return
      const last = periods.findLast(period => period.scheme === scheme)
      if (last) last.valid_until = committed_at
      periods.push({ scheme, public_key, valid_from: committed_at, valid_until: null, index })
    },
    list: (): KeyPeriod[] => periods.map(period => ({ ...period })),
    isOwn: (publicKey: string): boolean => periods.some(({ public_key }) => public_key === publicKey),
  }
}
