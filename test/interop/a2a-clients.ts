import { type A2aClient, Refused } from './a2a-answer.ts'
import { connect1 } from './a2a-client-1.ts'
import { connect02, connect03 } from './a2a-client-03.ts'

export type ClientRow = {
  label: string
  /** The generation of the SDK. */
  sdk: '0.2' | '0.3' | '1'
  compat: boolean
  /** Reads the card at `card`, a path under `base`, else where the SDK looks for it. */
  connect(base: string, card?: string): Promise<A2aClient>
}

export const clientRows: readonly ClientRow[] = [
  { label: 'SDK 0.2.5', sdk: '0.2', compat: false, connect: connect02 },
  { label: 'SDK 0.3.14', sdk: '0.3', compat: false, connect: connect03 },
  { label: 'SDK 1.0.1', sdk: '1', compat: false, connect: connect1('a2a-101', false) },
  { label: 'SDK 1.0.1 with legacyCompat', sdk: '1', compat: true, connect: connect1('a2a-101', true) },
  { label: 'SDK 1.3.0', sdk: '1', compat: false, connect: connect1('a2a-130', false) },
  { label: 'SDK 1.3.0 with legacyCompat', sdk: '1', compat: true, connect: connect1('a2a-130', true) },
]

/** The method and the `A2A-Version` by which a client sends a message to a service that declares `version`. */
export const spokenBy = ({ sdk, compat }: ClientRow, version: string | null) => {
  if (sdk !== '1') return { method: 'message/send', requestVersion: null, responseVersion: '0.3' }
  if (compat && !version?.startsWith('1.'))
    return { method: 'message/send', requestVersion: '0.3', responseVersion: '0.3' }
  return { method: 'SendMessage', requestVersion: '1.0', responseVersion: '1.0' }
}

/** What a promise is refused with. Throws when it is not refused. */
export const refusal = async (promise: Promise<unknown>): Promise<Refused> => {
  const cause = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (cause instanceof Refused) return cause
  throw new Error('this was not refused', { cause })
}
