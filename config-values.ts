import { z } from 'zod'

/** A value that prints as `[secret]` wherever it is logged, inspected or serialised. */
export type Secret = { reveal(): string }

export const secretOf = (value: string): Secret =>
  Object.freeze({
    reveal: () => value,
    toString: () => '[secret]',
    toJSON: () => '[secret]',
    [Symbol.for('nodejs.util.inspect.custom')]: () => '[secret]',
  })

export const secret = (least: number) =>
  z.string().min(least, `at least ${least} characters`).transform(secretOf)

export const flag = z.enum(['true', 'false', '1', '0']).transform(value => value === 'true' || value === '1')

export const list = z.string().transform(value =>
  value
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== ''),
)

export const absoluteUrl = z
  .url({ protocol: /^https?$/, message: 'an absolute http(s) URL' })
  .transform(url => url.replace(/\/+$/, ''))

export const hostMap = list.transform((pairs, context) =>
  pairs.map(pair => {
    const [host = '', slug = '', ...rest] = pair.split('=')
    if (!/^[a-z0-9.-]+(:\d+)?$/i.test(host) || !/^[a-z]+$/.test(slug) || rest.length > 0)
      context.addIssue({ code: 'custom', message: `"${pair}" is not host=service` })
    return { host: host.toLowerCase(), slug }
  }),
)

export const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'a private key: 0x and 64 hexadecimal digits')
  .transform(secretOf)

const networkNames = ['base', 'base-sepolia', 'arbitrum', 'solana', 'solana-devnet'] as const

export const solanaKey = z
  .string()
  .regex(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/, 'a Solana secret key: base58 of 64 bytes')
  .transform(secretOf)

export const networkList = list.transform((pairs, context) =>
  pairs.flatMap(pair => {
    const cut = pair.indexOf('=')
    const name = networkNames.find(known => known === pair.slice(0, cut))
    const rpc = absoluteUrl.safeParse(pair.slice(cut + 1))
    if (name && rpc.success) return [{ name, rpc: secretOf(rpc.data) }]
    context.addIssue({
      code: 'custom',
      message: `each is name=URL, with a name of ${networkNames.join(', ')}`,
    })
    return []
  }),
)

/** Addresses of a chain's nodes, which may hold keys; by default public ones. */
export const rpcList = (chain: string, hosts: string) =>
  list
    .transform((urls, context) =>
      urls.map(url => {
        const rpc = absoluteUrl.safeParse(url)
        if (!rpc.success) context.addIssue({ code: 'custom', message: 'absolute http(s) URLs' })
        return secretOf(rpc.data ?? '')
      }),
    )
    .refine(urls => urls.length > 0, 'at least one URL')
    .prefault(hosts.replace(/\S+/g, 'https://$&').replaceAll(' ', ','))
    .describe(`JSON-RPC nodes that ${chain} is read from by the data skills, in order of preference.`)

const decimalUsd = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'USD such as 0.05')

const policyShape = z.strictObject({
  max_cost_usd: decimalUsd.optional(),
  accepted_licenses: z.array(z.string().max(200)).max(100).optional(),
  budget_usd: decimalUsd.optional(),
  min_domain_age_days: z.number().int().min(0).max(3650).optional(),
})

export const policy = z
  .string()
  .transform((text, context) => {
    try {
      const parsed = policyShape.safeParse(JSON.parse(text))
      if (parsed.success) return parsed.data
      const [issue] = parsed.error.issues
      context.addIssue({ code: 'custom', message: `${issue?.path.join('.')}: ${issue?.message}` })
    } catch {
      context.addIssue({ code: 'custom', message: 'a JSON object' })
    }
    return z.NEVER
  })
  .prefault('{}')

/** Dollars for one unit of another price, `sat=0.0006`. */
export const rates = list.transform((pairs, context) => {
  const stated: { sat?: string; credit?: string } = {}
  for (const pair of pairs) {
    const [, unit, usd] = /^(sat|credit)=(\d{1,9}(?:\.\d{1,18})?)$/.exec(pair) ?? []
    if ((unit === 'sat' || unit === 'credit') && usd !== undefined && Number(usd) > 0) stated[unit] = usd
    else context.addIssue({ code: 'custom', message: 'each is unit=USD, such as sat=0.0006' })
  }
  return stated
})
