import type { DmarcRecord } from '../../../lib/mail-auth/dmarc/record.ts'
import { rewriteDmarc } from '../../../lib/mail-auth/dmarc/rewrite.ts'
import { tagValue } from '../../../lib/mail-auth/tags.ts'
import { agreementName } from '../dmarc/destinations.ts'
import { type Advice, advise } from './advice.ts'
import { toPrintable } from './notes.ts'
import { type Parts, usesMail } from './parts.ts'

const first = (parts: Parts): Advice => {
  const { domain } = parts
  const name = `_dmarc.${domain}`
  const rua = `rua=mailto:dmarc-reports@${domain}`
  if (usesMail(parts) === false || (parts.mx?.count === 0 && parts.spf?.records.length === 0))
    return advise('publish_dmarc.no_mail', { name, value: 'v=DMARC1; p=reject' })
  return advise('publish_dmarc', { name, value: `v=DMARC1; p=none; ${rua}` })
}

const ownRecord = (parts: Parts): Advice => {
  const { domain, dmarc } = parts
  const policy = usesMail(parts) === false ? 'reject' : 'quarantine'
  const value = `v=DMARC1; p=${policy}; rua=mailto:dmarc-reports@${domain}`
  const given = { domain, found_at: String(dmarc?.found_at), tag: String(dmarc?.applied_tag) }
  return advise('own_dmarc', { name: `_dmarc.${domain}`, value }, given)
}

const stronger = (parts: Parts, record: DmarcRecord, name: string): Advice[] => {
  const { dmarc } = parts
  if (!dmarc || dmarc.effective_policy === 'reject') return []
  if (dmarc.inherited) return dmarc.effective_policy === 'quarantine' ? [] : [ownRecord(parts)]
  if (record.testMode && record.policy !== 'none')
    return [advise('end_test_mode', { name, value: rewriteDmarc(record, { drop: ['t'] }) })]
  if (dmarc.effective_policy === 'quarantine')
    return [advise('reject', { name, value: rewriteDmarc(record, { policy: 'reject' }) })]
  const policy = usesMail(parts) === false ? 'reject' : 'quarantine'
  return [advise('enforce_dmarc', { name, value: rewriteDmarc(record, { policy }) }, { policy })]
}

const holes = (parts: Parts, record: DmarcRecord, name: string): Advice[] => {
  const { dmarc } = parts
  if (!dmarc || record.policy === 'none' || record.policy === null || dmarc.applied_tag !== 'p') return []
  const open = (['sp', 'np'] as const).filter(tag => tagValue(record.tags, tag)?.toLowerCase() === 'none')
  if (open.length === 0) return []
  const tags = open.map(tag => `${tag}=none`).join(' and ')
  return [advise('close_subdomains', { name, value: rewriteDmarc(record, { drop: open }) }, { tags })]
}

const reports = ({ dmarc, domain }: Parts, record: DmarcRecord, name: string): Advice[] => {
  if (!dmarc) return []
  const missing =
    record.rua.length === 0
      ? [
          advise('ask_for_reports', {
            name,
            value: rewriteDmarc(record, { rua: `dmarc-reports@${domain}`, drop: ['rua'] }),
          }),
        ]
      : []
  const unauthorizedDestinations = [...dmarc.rua, ...dmarc.ruf].filter(
    ({ authorized }) => authorized === false,
  )
  const receivers = [
    ...new Set(
      unauthorizedDestinations.map(({ address }) => address?.split('@').at(-1)?.toLowerCase() ?? ''),
    ),
  ]
  return [
    ...missing,
    ...receivers.map(receiver =>
      advise(
        'agree_to_reports',
        { name: agreementName(dmarc.found_at ?? domain, receiver), value: 'v=DMARC1' },
        { receiver },
      ),
    ),
  ]
}

const repairs = ({ dmarc }: Parts, record: DmarcRecord, name: string): Advice[] => {
  const rewritten = { name, value: rewriteDmarc(record, {}) }
  const [error] = record.errors
  const tags = record.removedTags.map(({ tag }) => tag).join(', ')
  return [
    ...(error ? [advise('repair_dmarc', rewritten, { problem: toPrintable(error.message, 300) })] : []),
    ...(tags !== '' && dmarc ? [advise('remove_old_tags', rewritten, { tags })] : []),
  ]
}

/** Advises on DMARC. A record that is inherited is advised on where it stands. */
export const dmarcAdvice = (parts: Parts): Advice[] => {
  const { dmarc, domain } = parts
  if (!dmarc) return []
  const several = dmarc.errors.some(({ code }) => code === 'several_records')
    ? [advise('one_dmarc_record', null, { domain })]
    : []
  const record = dmarc.parsed
  if (!record || !dmarc.found_at) return several.length > 0 ? several : [first(parts)]
  const name = `_dmarc.${dmarc.found_at}`
  return [
    ...several,
    ...stronger(parts, record, name),
    ...holes(parts, record, name),
    ...repairs(parts, record, name),
    ...reports(parts, record, name),
  ]
}
