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
    return advise(
      'high',
      'publish_dmarc',
      'Publish a DMARC record that rejects everything: the domain names no mail server and no sender.',
      {
        name,
        value: 'v=DMARC1; p=reject',
      },
    )
  return advise(
    'high',
    'publish_dmarc',
    'Publish a DMARC record. Start with p=none, read the reports until all your own mail passes, then go on to quarantine and reject.',
    { name, value: `v=DMARC1; p=none; ${rua}` },
  )
}

const ownRecord = (parts: Parts): Advice => {
  const { domain, dmarc } = parts
  const policy = usesMail(parts) === false ? 'reject' : 'quarantine'
  return advise(
    'high',
    'own_dmarc',
    `Publish a record of its own for ${domain}, or have ${dmarc?.found_at} change its ${dmarc?.applied_tag}.`,
    {
      name: `_dmarc.${domain}`,
      value: `v=DMARC1; p=${policy}; rua=mailto:dmarc-reports@${domain}`,
    },
  )
}

const stronger = (parts: Parts, record: DmarcRecord, name: string): Advice[] => {
  const { dmarc } = parts
  if (!dmarc || dmarc.effective_policy === 'reject') return []
  if (dmarc.inherited) return dmarc.effective_policy === 'quarantine' ? [] : [ownRecord(parts)]
  if (record.testMode && record.policy !== 'none')
    return [
      advise('high', 'end_test_mode', 'Remove t=y once the reports show that your own mail passes.', {
        name,
        value: rewriteDmarc(record, { drop: ['t'] }),
      }),
    ]
  if (dmarc.effective_policy === 'quarantine')
    return [
      advise('medium', 'reject', 'Go on to p=reject when nothing of your own lands in quarantine any more.', {
        name,
        value: rewriteDmarc(record, { policy: 'reject' }),
      }),
    ]
  const target = usesMail(parts) === false ? 'reject' : 'quarantine'
  return [
    advise(
      'high',
      'enforce_dmarc',
      `Go on to p=${target}: p=none stops nothing. Check first that your own mail passes.`,
      {
        name,
        value: rewriteDmarc(record, { policy: target }),
      },
    ),
  ]
}

const holes = (parts: Parts, record: DmarcRecord, name: string): Advice[] => {
  const { dmarc } = parts
  if (!dmarc || record.policy === 'none' || record.policy === null || dmarc.applied_tag !== 'p') return []
  const open = (['sp', 'np'] as const).filter(tag => tagValue(record.tags, tag)?.toLowerCase() === 'none')
  if (open.length === 0) return []
  return [
    advise(
      'high',
      'close_subdomains',
      `Remove ${open.map(tag => `${tag}=none`).join(' and ')}, so that subdomains are protected too.`,
      {
        name,
        value: rewriteDmarc(record, { drop: open }),
      },
    ),
  ]
}

const reports = ({ dmarc, domain }: Parts, record: DmarcRecord, name: string): Advice[] => {
  if (!dmarc) return []
  const missing =
    record.rua.length === 0
      ? [
          advise('medium', 'ask_for_reports', 'Ask for aggregate reports, to see who sends in your name.', {
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
        'medium',
        'agree_to_reports',
        `Have ${receiver} publish this record in its own zone, or no reports are sent there.`,
        {
          name: agreementName(dmarc.found_at ?? domain, receiver),
          value: 'v=DMARC1',
        },
      ),
    ),
  ]
}

const repairs = ({ dmarc }: Parts, record: DmarcRecord, name: string): Advice[] => [
  ...(record.errors.length > 0
    ? [
        advise(
          'high',
          'repair_dmarc',
          `Repair the DMARC record: ${toPrintable(record.errors[0]?.message ?? '', 300)}`,
          {
            name,
            value: rewriteDmarc(record, {}),
          },
        ),
      ]
    : []),
  ...(record.removedTags.length > 0 && dmarc
    ? [
        advise(
          'low',
          'remove_old_tags',
          `Remove ${record.removedTags.map(({ tag }) => tag).join(', ')}: RFC 9989 no longer has them.`,
          {
            name,
            value: rewriteDmarc(record, {}),
          },
        ),
      ]
    : []),
]

/** Advises on DMARC. A record that is inherited is advised on where it stands. */
export const dmarcAdvice = (parts: Parts): Advice[] => {
  const { dmarc, domain } = parts
  if (!dmarc) return []
  const several = dmarc.errors.some(({ code }) => code === 'several_records')
    ? [advise('high', 'one_dmarc_record', `Keep one DMARC record at _dmarc.${domain} and delete the others.`)]
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
