import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { ToolError } from '../kernel/error.ts'
import { accountKeysIn } from '../kernel/person.ts'
import { newAccountId } from './account.ts'
import {
  keepChallenge,
  newChallengeId,
  type Purpose,
  type SignInChallenge,
  takeChallenge,
} from './challenge.ts'
import type { AccountDeps } from './deps.ts'
import type { BrowserSession } from './session.ts'
import { addKey, createAccount, type ProvenKey, type SignInBrowser, signInByKey } from './sign-in.ts'

type Deps = Pick<AccountDeps, 'store' | 'clock' | 'origin' | 'countRegistration'>

/** The domain that passkeys are bound to, for ever: the host of the installation (WebAuthn, relying party identifier). */
const relyingParty = ({ origin }: Pick<AccountDeps, 'origin'>): string => new URL(origin()).hostname

/** True when browsers make passkeys for this address: a host name, and https unless it is `localhost`. */
export const hasPasskeys = ({ origin }: Pick<AccountDeps, 'origin'>): boolean => {
  const { protocol, hostname } = new URL(origin())
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

const binary = z
  .string()
  .max(24_000)
  .regex(/^[\w-]*$/)
const credential = {
  id: binary.min(1).max(1400),
  rawId: binary.min(1).max(1400),
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).optional(),
}

const registrationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: binary,
    attestationObject: binary,
    transports: z.array(z.string().max(32)).max(8).optional(),
  }),
})

const assertionSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: binary,
    authenticatorData: binary,
    signature: binary,
    userHandle: binary.max(100).nullish(),
  }),
})

const isNoProof = (cause?: unknown): ToolError =>
  new ToolError('unauthenticated', 'The passkey did not prove itself for this page.', {
    hint: 'Start again.',
    cause,
  })

/** Parses what came as the browser's answer; else the proof has failed. */
const parseResponse = <T>(schema: z.ZodType<T>, response: unknown): T => {
  const { data, error } = schema.safeParse(response)
  if (data === undefined) throw isNoProof(error)
  return data
}

/** Runs a check of the library, which throws for whatever does not fit. */
const check = async <R>(verify: () => Promise<R>): Promise<R> => {
  try {
    return await verify()
  } catch (cause) {
    throw cause instanceof ToolError ? cause : isNoProof(cause)
  }
}

/** A page in a frame of another site is none of ours (WebAuthn §7, `crossOrigin`). */
const refuseFrame = async (clientDataJSON: string): Promise<void> => {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers')
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON)
  if (crossOrigin || topOrigin) throw isNoProof()
}

/**
 * The same answer without its attestation: who made an authenticator is nothing we ask, and certificates in it would name addresses that
 * the library looks lists of revoked ones up at.
 */
const withoutAttestation = async (attestationObject: string): Promise<string> => {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const bare = new Map<string, Uint8Array | string | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', decoded.get('authData')],
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(bare))
}

type Start = {
  purpose: Purpose
  /** Token of the browser's cookie. */
  browser: string
  name?: string | null
  session?: BrowserSession | undefined
}

/** Begins a sign-in or a registration: what the browser is to be asked, as JSON. */
export const startPasskey = async (
  deps: Deps,
  { purpose, browser, name = null, session }: Start,
): Promise<{ id: string; options: object }> => {
  if (!hasPasskeys(deps))
    throw new ToolError('unavailable', 'Browsers make no passkeys for the address of this installation.', {
      hint: 'Sign in with a wallet. The operator can serve it by https under a host name.',
    })
  const { generateAuthenticationOptions, generateRegistrationOptions } = await import(
    '@simplewebauthn/server'
  )
  const id = newChallengeId()
  const rpID = relyingParty(deps)
  const keep = (text: string, more: Partial<SignInChallenge> = {}) =>
    keepChallenge(deps, browser, { id, kind: 'passkey', purpose, text, ...more })
  const keyOwner = session && { account: session.account, session: session.id }
  if (purpose === 'sign-in' || purpose === 'prove') {
    const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
    await keep(options.challenge, keyOwner)
    return { id, options }
  }
  const account = session?.account ?? newAccountId()
  const { rows } = await accountKeysIn(deps.store).find({ index: 'account', where: { account } })
  const options = await generateRegistrationOptions({
    rpName: rpID,
    rpID,
    userName: name ?? `account ${account.slice(5, 11)}`,
    userDisplayName: name ?? '',
    userID: new TextEncoder().encode(account),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: rows.flatMap(({ id, passkey }) =>
      passkey ? [{ id: id.slice('passkey:'.length), transports: [...passkey.transports] as never }] : [],
    ),
  })
  await keep(options.challenge, { account, name, ...keyOwner })
  return { id, options }
}

const verifyNewKey = async (
  deps: Deps,
  response: unknown,
  challenge: SignInChallenge,
): Promise<ProvenKey> => {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const answer = parseResponse(registrationSchema, response)
  return check(async () => {
    await refuseFrame(answer.response.clientDataJSON)
    const attestationObject = await withoutAttestation(answer.response.attestationObject)
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: {
        ...answer,
        response: { ...answer.response, attestationObject },
      } as RegistrationResponseJSON,
      expectedChallenge: challenge.text,
      expectedOrigin: deps.origin(),
      expectedRPID: relyingParty(deps),
      requireUserVerification: true,
    })
    // The id that the browser names and the one that the authenticator made are one.
    if (!verified || info.credential.id !== answer.id) throw isNoProof()
    return {
      id: `passkey:${info.credential.id}`,
      kind: 'passkey',
      name: info.credentialBackedUp ? 'Passkey, synced' : 'Passkey',
      passkey: {
        public_key: Buffer.from(info.credential.publicKey).toString('base64url'),
        counter: info.credential.counter,
        transports: answer.response.transports ?? [],
        is_synced: info.credentialBackedUp,
      },
    }
  })
}

const verifyKnownKey = async (
  deps: Deps,
  response: unknown,
  challenge: SignInChallenge,
): Promise<{ id: string; counter: number }> => {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const answer = parseResponse(assertionSchema, response)
  const id = `passkey:${answer.id}`
  const key = await accountKeysIn(deps.store).get(id)
  if (!key?.passkey)
    throw new ToolError('unauthenticated', 'This passkey belongs to no account here.', {
      reason: 'unknown_key',
      hint: 'It was removed, or its account was deleted. Use another key, or create an account.',
    })
  const { public_key, counter } = key.passkey
  return check(async () => {
    await refuseFrame(answer.response.clientDataJSON)
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as AuthenticationResponseJSON,
      expectedChallenge: challenge.text,
      expectedOrigin: deps.origin(),
      expectedRPID: relyingParty(deps),
      credential: { id: answer.id, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')), counter },
      requireUserVerification: true,
    })
    const owner = Buffer.from(answer.response.userHandle ?? '', 'base64url').toString()
    if (!verified || owner !== key.account) throw isNoProof()
    return { id, counter: authenticationInfo.newCounter }
  })
}

type Finish = {
  /** Of the challenge. */
  id: string
  response: unknown
  /** Token of the browser's cookie. */
  browser: string | undefined
  session: BrowserSession | undefined
} & SignInBrowser

/**
 * Ends what `startPasskey` began, once: signs in, makes an account, or adds the key to the account of the session. The token of the new
 * session; undefined where a key was added.
 */
export const finishPasskey = async (
  deps: Deps,
  { id, response, browser, session, address, previousToken }: Finish,
): Promise<string | undefined> => {
  const challenge = await takeChallenge(deps, id, browser, 'passkey')
  const { account, name = null } = challenge
  // Whoever adds or proves is still signed in, in the same session.
  if (challenge.session !== undefined && challenge.session !== session?.id) throw isNoProof()
  if (challenge.purpose === 'sign-in' || challenge.purpose === 'prove') {
    const key = await verifyKnownKey(deps, response, challenge)
    return signInByKey(deps, { ...key, account }, { previousToken })
  }
  const key = await verifyNewKey(deps, response, challenge)
  if (account === undefined) throw isNoProof()
  if (challenge.purpose === 'create')
    return createAccount(deps, { key, account, name }, { address, previousToken })
  if (session === undefined) throw isNoProof()
  await addKey(deps, session, key)
  return undefined
}
