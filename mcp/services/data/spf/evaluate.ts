import type { z } from 'zod'
import type { Dns } from '../../../ports/index.ts'
import { toPrintable } from '../mail-policy/notes.ts'
import { checkHost } from './check-host.ts'
import type { SpfCheck } from './report.ts'

type Client = { ip?: string | undefined; sender?: string | undefined; helo?: string | undefined }

const toPrintableOrNull = (text: string | null, maxLength: number): string | null =>
  text === null ? null : toPrintable(text, maxLength)

/** SPF for a client, made safe to show; null when no ip was given. */
export const evaluate = async (
  dns: Dns,
  domain: string,
  { ip, sender = `postmaster@${domain}`, helo = domain }: Client,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<z.input<typeof SpfCheck> | null> => {
  if (ip === undefined) return null
  const outcome = await checkHost(dns, { ip, domain, sender, helo, now, signal })
  return {
    ip,
    sender: toPrintable(sender, 320),
    helo: toPrintable(helo, 255),
    ...outcome,
    mechanism: toPrintableOrNull(outcome.mechanism, 500),
    domain: toPrintable(outcome.domain, 253),
    explanation: toPrintableOrNull(outcome.explanation, 500),
    problem: toPrintableOrNull(outcome.problem, 500),
  }
}
