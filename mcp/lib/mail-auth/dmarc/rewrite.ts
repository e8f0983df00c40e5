import { clean } from '../../text/clean.ts'
import { tagValue } from '../tags.ts'
import { type DmarcPolicy, type DmarcRecord, isPolicy } from './record.ts'

type Changes = { policy?: DmarcPolicy; rua?: string; drop?: readonly string[] }

const others = (record: DmarcRecord, rua: string | undefined): string[] => {
  const list = (name: string, uris: readonly { uri: string }[]) =>
    uris.length === 0 ? [] : [`${name}=${clean(uris.map(({ uri }) => uri).join(',')) ?? ''}`]
  const { failureOptions, ruf } = record
  return [
    ...(record.dkimAlignment === 'strict' ? ['adkim=s'] : []),
    ...(record.spfAlignment === 'strict' ? ['aspf=s'] : []),
    ...(record.psd === 'u' ? [] : [`psd=${record.psd}`]),
    ...(ruf.length > 0 && failureOptions.join() !== '0' ? [`fo=${failureOptions.join(':')}`] : []),
    ...(rua ? [`rua=mailto:${rua}`] : list('rua', record.rua)),
    ...list('ruf', ruf),
  ]
}

/** The record as it should be: removed and wrong tags left out, the changes made. */
export const rewriteDmarc = (record: DmarcRecord, { policy, rua, drop = [] }: Changes): string => {
  const readPolicyTag = (name: string): DmarcPolicy | undefined => {
    const value = drop.includes(name) ? '' : (tagValue(record.tags, name)?.toLowerCase() ?? '')
    return isPolicy(value) ? value : undefined
  }
  const p = policy ?? readPolicyTag('p') ?? 'none'
  const isWanted = (value: DmarcPolicy | undefined, other: DmarcPolicy): value is DmarcPolicy =>
    value !== undefined && value !== other && !(policy !== undefined && value === 'none')
  const [sp, np] = [readPolicyTag('sp'), readPolicyTag('np')]
  return [
    'v=DMARC1',
    `p=${p}`,
    ...(isWanted(sp, p) ? [`sp=${sp}`] : []),
    ...(isWanted(np, sp ?? p) ? [`np=${np}`] : []),
    ...(record.testMode && !drop.includes('t') ? ['t=y'] : []),
    ...others(record, rua),
  ].join('; ')
}
