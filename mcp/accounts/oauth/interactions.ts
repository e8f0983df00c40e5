import type { IncomingMessage, ServerResponse } from 'node:http'
import { ToolError } from '../../kernel/error.ts'
import { isLoopbackName } from '../../lib/loopback.ts'
import type { AccountDeps } from '../deps.ts'
import { limitsIn, type SpendingLimits } from '../limits.ts'
import type { OpenProvider } from './provider.ts'
import type { ProtectedResource, ProtectedResources } from './resources.ts'
import { oauthRowsIn, toRowId } from './row.ts'

/** A sign-in that a person is in the middle of. What it says of the client is the client's own word. */
export type Interaction = {
  uid: string
  /** `login`: nobody is signed in for it yet; `consent`: the account decides. */
  prompt: 'login' | 'consent'
  client: {
    id: string
    name: string
    /** The host that published its metadata document; undefined for one that registered itself. */
    host: string | undefined
    /** Anybody on the person's machine can say to be this client: its document names addresses of the machine alone. */
    isLocalOnly: boolean
  }
  /** Target of the answer: an address that the client has registered. */
  redirect: string
  resource: ProtectedResource | undefined
  account: string | undefined
  /** Next address, once somebody has decided. */
  decided: string | undefined
}

/** Spending a person allows a client; null is nothing at all. */
export type SpendingAllowance = Pick<SpendingLimits, 'per_call' | 'per_day' | 'services'> | null

const over = (cause: unknown) =>
  new ToolError('gone', 'This sign-in is over, or belongs to another browser.', {
    hint: 'Go back to your client and connect again.',
    cause,
  })

const alreadyAnswered = () =>
  new ToolError('conflict', 'This was answered already.', {
    hint: 'Go back to your client; connect again if it still asks.',
  })

const readHost = (address: string): string | undefined =>
  /^https:/.test(address) && URL.canParse(address) ? new URL(address).host : undefined

/** How long nobody else may answer what somebody has answered; no interaction lives longer. */
const answerMs = 30 * 60_000

/** The pages' side of the authorization server: what is asked, and what was decided. */
export const openInteractions = (
  deps: Pick<AccountDeps, 'store' | 'clock' | 'keys'>,
  load: () => Promise<OpenProvider>,
  resources: ProtectedResources,
) => {
  const { store, clock, keys } = deps

  const details = async (req: IncomingMessage, res: ServerResponse, uid: string) => {
    const provider = await load()
    const pendingInteraction = await provider.interactionDetails(req, res).catch((cause: unknown) => {
      throw over(cause)
    })
    if (pendingInteraction.uid !== uid) throw over('another interaction')
    return { provider, pendingInteraction }
  }

  const text = (value: unknown): string => (typeof value === 'string' ? value : '')

  /** True for one, however many come at once. */
  const claim = async (uid: string): Promise<void> => {
    const until = new Date(clock.now().getTime() + answerMs)
    if (!(await store.claim(`accounts.consent ${keys.hash(uid)}`, until))) throw alreadyAnswered()
  }

  return {
    /** Throws `gone` for a sign-in that is over, was never, or belongs to another browser. */
    async read(req: IncomingMessage, res: ServerResponse, uid: string): Promise<Interaction> {
      const { provider, pendingInteraction } = await details(req, res, uid)
      const { params, prompt, session, result } = pendingInteraction
      const id = text(params.client_id)
      const client = await provider.Client.find(id).catch(() => undefined)
      if (!client) throw over('no such client')
      const redirects = client.redirectUris ?? []
      const isLocal = (uri: string) => URL.canParse(uri) && isLoopbackName(new URL(uri).hostname)
      const [resource] = [params.resource].flat()
      return {
        uid: pendingInteraction.uid,
        prompt: prompt.name === 'consent' ? 'consent' : 'login',
        client: {
          id,
          name: client.clientName ?? '',
          host: readHost(id),
          isLocalOnly: readHost(id) !== undefined && redirects.every(isLocal),
        },
        redirect: text(params.redirect_uri),
        resource: resources.find(text(resource)) ?? resources.fallback(),
        account: session?.accountId,
        decided: result && prompt.name === 'consent' ? pendingInteraction.returnTo : undefined,
      }
    },

    /** Goes on with an account that is signed in. */
    async signIn(req: IncomingMessage, res: ServerResponse, uid: string, account: string): Promise<void> {
      const { provider } = await details(req, res, uid)
      await provider.interactionFinished(
        req,
        res,
        { login: { accountId: account, remember: false } },
        { mergeWithLastSubmission: false },
      )
    },

    /** Lets the client in, with what it may spend. Throws `conflict` for the second answer, and `forbidden` for another account's. */
    async allow(
      req: IncomingMessage,
      res: ServerResponse,
      uid: string,
      { account, allowance }: { account: string; allowance: SpendingAllowance },
    ): Promise<void> {
      const { provider, pendingInteraction } = await details(req, res, uid)
      const { params, prompt, session } = pendingInteraction
      if (prompt.name !== 'consent') throw over('not at its consent')
      if (session?.accountId !== account)
        throw new ToolError('forbidden', 'Another account is signed in than the one that was asked.', {
          hint: 'Go back to your client and connect again.',
        })
      await claim(uid)
      const id = text(params.client_id)
      const client = await provider.Client.find(id)
      const name = client?.clientName ?? ''
      const grant = new provider.Grant({ accountId: account, clientId: id })
      const { missingOIDCScope, missingResourceScopes } = prompt.details as {
        missingOIDCScope?: string[]
        missingResourceScopes?: Record<string, string[]>
      }
      if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '))
      for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
        grant.addResourceScope(resource, scopes.join(' '))
      const grantId = await grant.save()
      await store.transaction(async tx => {
        await oauthRowsIn(tx).update(toRowId(keys, 'Grant', grantId), row => ({
          ...row,
          payload: {
            ...row.payload,
            client_name: name,
            redirect_host: new URL(text(params.redirect_uri)).host,
          },
        }))
        if (!allowance) return
        const updated_at = clock.now().toISOString()
        await limitsIn(tx).put({ id: grantId, account, client: { id, name }, ...allowance, updated_at })
      })
      await provider.interactionFinished(
        req,
        res,
        { consent: { grantId } },
        { mergeWithLastSubmission: true },
      )
    },

    /** Tells the client that it may not. */
    async deny(req: IncomingMessage, res: ServerResponse, uid: string): Promise<void> {
      const { provider } = await details(req, res, uid)
      await claim(uid)
      await provider.interactionFinished(
        req,
        res,
        { error: 'access_denied', error_description: 'The person said no.' },
        { mergeWithLastSubmission: false },
      )
    },
  }
}

export type Interactions = ReturnType<typeof openInteractions>
