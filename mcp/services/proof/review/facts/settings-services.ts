import type { Line } from '../read/lines.ts'
import { type Detector, lineFact, settingFact } from './fact.ts'
import { byTable } from './settings-table.ts'
import { isLocalSetting } from './words.ts'

/** True when a statement lets everybody do everything to everything, or all but something. */
const seesOpenPolicy = (inline: string): string | undefined => {
  if (!/\bEffect\W{1,6}Allow\b/i.test(inline) || /\bEffect\W{1,6}Deny\b/i.test(inline)) return undefined
  if (!/\bResources?\W{1,8}\*["'\s\]]/i.test(inline)) return undefined
  if (/\bNotActions?\W/i.test(inline)) return 'All actions but some are allowed'
  return /["'](?:s3|ec2|kms|dynamodb|rds|lambda|secretsmanager|organizations|sts):\*["']/i.test(inline)
    ? 'All actions of a service are allowed on everything'
    : undefined
}

/** Rows of the form that only such a file has, wherever they stand. */
const isNewRow = ({ change, isComment }: Line): boolean => change !== 'removed' && !isComment

/** Programs that give a shell or any file when run as root. */
const shellGiver =
  /^\s{0,8}[%\w.@-]{1,60}\s{1,8}\w{1,60}\s?=.{0,80}NOPASSWD:[^\n]{0,200}?\/(?:ba|z|da|k|c)?(?:sh|vim?|nano|less|more|find|python[\d.]*|perl|ruby|node|docker|tar|awk|env|su|tee|cp|mv|chmod|chown|dd|rsync|nmap|apt|apt-get|pip3?|npm|systemctl)\s*(?:$|,|\*)|^\s{0,8}[%\w.@-]{1,60}\s{1,8}\w{1,60}\s?=.{0,80}NOPASSWD:[^\n]{0,200}?\/\*/

const seesDirective = byTable('config-service-open')

/** Directives of servers, kernels and clouds that open them. */
export const serviceDetectors: readonly Detector[] = [
  settingFact({
    id: 'config-service-open',
    see: (setting, { settings }) => {
      const { path, value } = setting
      const [, parent, key] = /^((?:.{0,400}\.)?)(not_?action|action)$/.exec(path) ?? []
      if (key !== undefined) {
        const near = settings.filter(other => other.path.startsWith(parent ?? ''))
        const has = (name: string, form: RegExp) =>
          near.some(other => other.path === `${parent}${name}` && form.test(other.value))
        if (!has('effect', /^allow$/i) || !has('resource', /^\*$/) || has('condition', /./)) return undefined
        if (key !== 'action') return 'All actions but some are allowed'
        return /^(?:s3|ec2|kms|dynamodb|rds|lambda|secretsmanager|organizations|sts):\*$/i.test(value)
          ? `All actions of a service are allowed on everything (${value})`
          : undefined
      }
      const inline = value.length > 20 ? seesOpenPolicy(value.slice(0, 2000)) : undefined
      if (inline) return inline
      if (/condition\.\w+\..{0,80}:sub$/.test(path))
        return /^(?:repo:)?\*/.test(value) && `Whoever has an account there may take the role (${value})`
      if (/(?:^|[._])(?:ddl_auto|hbm2ddl[._]auto)$/.test(path))
        return (
          /^(?:create|create-drop|create-only|drop)$/i.test(value) &&
          !isLocalSetting(setting) &&
          'Each start drops the tables'
        )
      return seesDirective(setting)
    },
  }),
  lineFact({
    id: 'config-sudo-shell',
    where: isNewRow,
    see: ({ text }) => shellGiver.test(text.slice(0, 600)) && 'Who may run it may do everything as root.',
  }),
]
