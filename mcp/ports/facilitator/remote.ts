import '../own-dispatcher.ts'
import type { FacilitatorClient } from '@x402/core/server'
import type {
  PaymentPayload,
  PaymentRequirements,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '@x402/core/types'
import { Agent, request } from 'undici'
import { z } from 'zod'
import {
  type FacilitatorAuth,
  type FacilitatorCredentials,
  type FacilitatorOperation,
  openFacilitatorAuth,
} from './auth.ts'

export type RemoteOptions = {
  url: string
  credential?: FacilitatorCredentials | undefined
  /** Milliseconds for one request. Default 30,000: what a settlement comes to later is found on the chain. */
  timeoutMs?: number
  now?: () => Date
}

/** One facilitator elsewhere. A settlement that throws is unknown, not failed: it may land all the same. */
export type RemoteFacilitator = FacilitatorClient & {
  /** The host, which records and messages name. */
  name: string
}

const maxBytes = 1 << 20

const verifyAnswer = z.object({
  isValid: z.boolean(),
  invalidReason: z.string().nullish(),
  payer: z.string().nullish(),
})

const settleAnswer = z.object({
  success: z.boolean(),
  errorReason: z.string().nullish(),
  payer: z.string().nullish(),
  transaction: z.string().nullish(),
})

const isCaip2 = (text: string): text is `${string}:${string}` => text.includes(':')

const supportedAnswer = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.string(),
      network: z.string(),
      extra: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
  extensions: z.array(z.string()).default([]),
  signers: z.record(z.string(), z.array(z.string())).default({}),
})

const readText = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new Error('a facilitator answers too much')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const toBody = (paymentPayload: PaymentPayload, paymentRequirements: PaymentRequirements): string =>
  JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements })

/**
 * A client of the wire that x402 facilitators speak. It is the operator's own configuration, often a private address, so it is
 * asked directly and not through the guarded fetch; redirects are not followed, because credentials go with the request.
 */
export const openRemoteFacilitator = ({
  url,
  credential,
  timeoutMs = 30_000,
  now = () => new Date(),
}: RemoteOptions): RemoteFacilitator => {
  const auth: FacilitatorAuth = openFacilitatorAuth(url, credential, now)
  const dispatcher = new Agent({ connections: 16, keepAliveTimeout: 30_000 })

  const ask = async <T>(operation: FacilitatorOperation, shape: z.ZodType<T>, body?: string): Promise<T> => {
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(await auth(operation)),
    }
    const { statusCode, body: answer } = await request(`${url}/${operation}`, {
      dispatcher,
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    answer.on('error', () => undefined)
    // Some say no with a status of 400 and more, and say it in the same form.
    const parsed = shape.safeParse(parseJson(await readText(answer as AsyncIterable<Buffer>)))
    if (parsed.success) return parsed.data
    throw new Error(`a facilitator answers ${statusCode} to ${operation}, in no form of x402`)
  }

  return {
    name: new URL(url).host,
    verify: async (payload, requirements): Promise<VerifyResponse> => {
      const { isValid, invalidReason, payer } = await ask(
        'verify',
        verifyAnswer,
        toBody(payload, requirements),
      )
      return { isValid, ...(invalidReason && { invalidReason }), ...(payer && { payer }) }
    },
    settle: async (payload, requirements): Promise<SettleResponse> => {
      const answer = await ask('settle', settleAnswer, toBody(payload, requirements))
      const { success, errorReason, payer, transaction } = answer
      return {
        success,
        transaction: transaction ?? '',
        network: requirements.network,
        ...(errorReason && { errorReason }),
        ...(payer && { payer }),
      }
    },
    getSupported: async (): Promise<SupportedResponse> => {
      const { kinds, ...more } = await ask('supported', supportedAnswer)
      return {
        ...more,
        // Version 1 names networks without a namespace; nothing here is paid by those.
        kinds: kinds.flatMap(({ network, extra, ...kind }) =>
          isCaip2(network) ? [{ ...kind, network, ...(extra && { extra }) }] : [],
        ),
      }
    },
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
