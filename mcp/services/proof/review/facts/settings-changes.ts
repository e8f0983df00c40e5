import { growth, isBoundless, parseQuantity } from '../read/amounts.ts'
import { saferState } from '../read/safe-direction.ts'
import type { ArtifactSetting } from '../read/settings.ts'
import { type Detector, settingFact } from './fact.ts'
import { isLocalSetting } from './words.ts'

/** Subject of a bound: the words of its path, without those that only say that it is one. */
const danger =
  /(?:^|[._])(?:bolus|infus\w*|basal|units|withdraw\w*|transfer\w*|payout\w*|payment\w*|refund\w*|spend\w*|orders?|position\w*|leverage|exposure|loss|drawdown|slippage|discount\w*|credit\w*|amount|temp\w*|pressure|speed|rpm|voltage|current|torque|force|power|altitude|dwell|concentration|chlorine|co2?|radiation|load|weight)(?=$|[._])/

/** Quantities that hurt bodies and machines: doubling already matters. */
const bodily =
  /(?:^|[._])(?:dos(?:e|age|es)|bolus|occupancy|persons?|people|passengers?|bar|psi|k?pa|kg|tons?|amps?|volts?|watts?|celsius|fahrenheit|deg_?[cf]|temp\w*|mmhg|m[lg]|mcg|bpm|rpm|kmh|mph|ppm|voltage|pressure|torque|radiation)(?=$|[._])/

const sessions =
  /(?:lifespan|lifetime|ttl|expir\w{0,20}|timeout|max_age|duration|validity)(?:[._](?:seconds|minutes|hours|days))?$/

const guesses =
  /(?:^|[._])(?:max)?_?(?:auth|login|password|sms|otp|pin|code|failed|failure)?_?(?:max)?_?(?:attempts?|tries|retry|failures|failed_logins|authtries|guesses)$/

const isCeiling = (path: string): boolean =>
  /(?:^|[._])(?:max\w*|limits?|cap|ceiling|upper\w*|threshold|high\w*|hard_?limit|above|\w*_(?:max|limit|cap|ceiling|threshold|above|over)|\w*rating\w*|(?:open|trip|shut_?off|cut_?off|relief|stop)_?at\w*)(?=$|[._])/.test(
    path,
  )

/** Values with a floor: copies, approvals, lengths, rounds, times for which something is locked or kept. */
const floor =
  /(?:^|[._])(?:min[._]insync[._]replicas|(?:default[._])?replication[._]?factor|replicas?(?:_?count)?|min_?available|min_?(?:replicas|instances|nodes|length|bits|age|balance|confirmations|approv\w*|review\w*|signatures?|signers?)|(?:required_)?(?:approv\w*|reviewers?|signers|confirmations)(?:_count|_required)?|quorum|password_?(?:min_?)?length|\w*key_?(?:size|length|bits)|code_?(?:length|digits)|(?:bcrypt_?|scrypt_?|pbkdf2_?|argon2?_?|hash_?)?(?:rounds|iterations|cost|work_?factor)|ban_?time|lockout\w*|lock_?out_?\w*|cool_?(?:down|ing)\w*|delay_?(?:period|window)|timelock\w*|backup\w*_(?:count|copies)|copies)$/

const keptFor =
  /(?:^|[._])(?:\w*retention\w*(?:[._](?:ms|s|sec|seconds|minutes|hours|days|weeks|months|years|period))?|(?:keep|expire|expiration|expiry)_?(?:after_?)?(?:days|hours|months|years)|\w*lock_?period\w*)$/

/** Bounds for which nothing is the strictest value, or where no bound is usual. */
const zeroIsStrict =
  /retr(?:y|ies)|unavailable|surge|lag|failures?_allowed|tolerance|age|cache|delay|jitter|batch|idle|keep_?alive|parallel|workers|verbosity|depth/

/** Seconds, where the name of a setting tells what its number counts. */
const toSeconds = (path: string, value: string): number | undefined => {
  const amount = parseQuantity(value)
  if (!amount) return undefined
  if (amount.unit === 'seconds') return amount.size
  const unit = /[._](ms|seconds|minutes|hours|days|weeks|months|years)$/.exec(path)?.[1]
  return unit === undefined ? undefined : parseQuantity(`${amount.size} ${unit}`)?.size
}

const findLostBound = ({ words: path, value, was = '' }: ArtifactSetting): string | undefined => {
  const change = `${path}: ${was.slice(0, 30)} to ${value.slice(0, 30)}`
  const times = growth(was, value)
  const before = parseQuantity(was)
  if (
    (isCeiling(path) ||
      guesses.test(path) ||
      /(?:^|[._])(?:rate_?limit\w*|quota\w*|throttl\w*)[._]/.test(path)) &&
    !zeroIsStrict.test(path) &&
    before !== undefined &&
    before.size > 0 &&
    isBoundless(value)
  )
    return `There is no bound any more (${change})`
  if (/audit\w{0,40}(?:sampl|rate|ratio)/.test(path) && isBoundless(value))
    return `Nobody will see what happens (${change})`
  if (/(?:confirm|approv|review|sign)\w*_(?:above|over|from)/.test(path) && isBoundless(value))
    return `Nobody is asked any more (${change})`
  if (/(?:confirm|approv|review|sign)\w*_(?:above|over|from|threshold)/.test(path))
    return times !== undefined && times >= 5 ? `Hardly anybody is asked any more (${change})` : undefined
  if (
    keptFor.test(path) &&
    /^(?:-1|forever|infinite|unlimited|never|compact)$/i.test(was) &&
    (toSeconds(path, value) ?? 1e9) < 604_800
  )
    return `It is gone soon (${change})`
  if (times === undefined) return undefined
  // Eight signs are the least that anybody still recommends.
  const length = parseQuantity(value)?.size ?? 0
  if (/pass(?:word|phrase|code)|credential/.test(path) && /length$/.test(path) && length < 8 && times < 1)
    return `Short passwords are allowed (${change})`
  if (guesses.test(path) && times >= 5) return `Many more guesses are allowed (${change})`
  if (danger.test(path) && isCeiling(path) && times >= 5) return `The bound is far out of reach (${change})`
  if (bodily.test(path) && isCeiling(path) && times >= 2) return `The bound is out of reach (${change})`
  if (
    /heartbeat|watchdog|health|alarm|backup|rotat|scan|patch_/.test(path) &&
    /interval|period|every|delay|after|before|misse[sd]|count/.test(path) &&
    times >= 60
  )
    return `It notices too late (${change})`
  if (
    /session|token|cookie|jwt|auth/.test(path) &&
    sessions.test(path) &&
    times >= 24 &&
    (parseQuantity(value)?.size ?? 0) >= 86_400
  )
    return `Who has signed in stays so (${change})`
  const after = parseQuantity(value)?.size ?? 0
  if (floor.test(path) && before !== undefined && (times <= 0.34 || (after <= 1 && before.size >= 2)))
    return `Too little is left (${change})`
  return keptFor.test(path) && times <= 0.05 ? `It is gone soon (${change})` : undefined
}

const strict =
  /^(?:deny|denied|drop|reject|block(?:ing)?|enforc(?:e|ed|ing)|strict|required?|mandatory|quarantine|fail_?closed|prevent(?:ion)?|abort|verify(?:_|-)?(?:full|ca|peer|identity)?|fail|page|critical|blocker|manual)$/i

const lax =
  /^(?:allow(?:ed|_all)?|accept|permit|permissive|warn(?:ing)?|log(?:_?only)?|audit|detect(?:ion)?_?(?:only)?|monitor(?:ing)?|report_?(?:only)?|ignore|none|off|disabled?|no|never|optional|complain|fail_?open|continue|dry_?run|passive|pass|skip|info|low|lowest|debug|any|prefer(?:red)?|auto(?:matic)?)$/i

/** Ways in which callers come in without being heard or seen: what was encrypted, and is plain. */
const encryptionPattern =
  /SASL_SSL|\bSSL:\/\/|\b(?:https|wss|ldaps|mqtts|amqps|rediss|smtps|ftps|imaps|grpcs|tls|ssl):\/\//i

/** Names of protocols alone, with and without encryption. */
const encryptedName = /^(?:https|tls|ssl|wss|ldaps|mqtts|amqps|smtps|ftps|sftp|imaps|grpcs|h2|sasl_ssl)$/i

const plainName = /^(?:http|tcp|ws|ldap|mqtt|amqp|smtp|ftp|telnet|imap|grpc|h2c|plaintext|sasl_plaintext)$/i

const plain =
  /\b(?:SASL_)?PLAINTEXT\b|\b(?:http|ws|ldap|mqtt|amqp|redis|smtp|ftp|imap|grpc|tcp):\/\/(?!localhost|127\.|\[::1\])/i

const guard =
  /(?:^|[._])(?:jwt|oidc|saml|oauth2?|mtls|\w*auth\w*|tls|waf|acls?|rbac|csrf\w*|csp|rate_?limit\w*|throttl\w*|security_?context|network_?polic(?:y|ies)|pod_?disruption_?budget|(?:liveness|readiness)_?probe|allow_?(?:users|groups|list\w*|from|ips?)|allowed_?(?:users|groups|ips?|cidrs?|networks?)|white_?list\w*|deny_?(?:users|groups|list|from)|ip_?restrictions?|match_?conditions?|validat\w*|circuit_?breaker|admission\w*|require\w*)$/

const nothing = /^(?:none|false|no|null|off|disabled?|plain(?:text)?|cleartext|identity|"")$/i

/** A right to everything, or to all of a service. */
const hasAll = /(?:^|[\s"'[,])(?:\w{1,40}:)?\*(?=$|[\s"'\],])/

/** Groups of settings of which each protects. */
const guardSettingPattern =
  /(?:^|[._])(?:password\w*|security|auth\w*|encryption|tls|ssl|audit|firewall|waf)\.\w+$/

const toSwitch = (value: string): boolean | undefined =>
  /^(?:true|yes|on|1|enabled?)$/i.test(value)
    ? true
    : /^(?:false|no|off|0|disabled?)$/i.test(value)
      ? false
      : undefined

/** Settings of which the text tells what they were before: a diff, `old -> new`, a comment, a patch. */
export const changeFacts: readonly Detector[] = [
  settingFact({
    id: 'config-bound-lost',
    see: setting => !setting.isRemoved && setting.was !== undefined && findLostBound(setting),
  }),
  settingFact({
    id: 'config-change-weakens',
    see: (setting, _act) => {
      const { path, words, value, was, isRemoved } = setting
      const key = words.slice(words.lastIndexOf('.') + 1)
      if (isLocalSetting(setting)) return undefined
      const subject = /^(?:enabled?|active|status|state|on)$/.test(key)
        ? words.split('.').slice(-2).join('_')
        : key
      if (isRemoved)
        return (
          (guard.test(words) || saferState(key) === 'on') &&
          !/^(?:off|false|no|0|none|disabled?)$/i.test(was ?? '') &&
          `It is no longer there (${path})`
        )
      if (was === undefined) return undefined
      const change = `${path}: ${was.slice(0, 30)} to ${value.slice(0, 30)}`
      const [wasOn, isOn] = [toSwitch(was), toSwitch(value)]
      if (wasOn !== undefined && isOn !== undefined && wasOn !== isOn)
        return (
          (saferState(subject) ??
            (guardSettingPattern.test(words)
              ? saferState(words.split('.').slice(-2).join('_'))
              : undefined)) === (isOn ? 'off' : 'on') &&
          `A protection is turned ${isOn ? 'open' : 'off'} (${change})`
        )
      if (
        nothing.test(value) &&
        !nothing.test(was) &&
        !lax.test(was) &&
        (/encrypt|cipher|at_rest|in_transit|tls|ssl|auth|sign|dnssec|integrity|checksum|algorithm|log_statement/.test(
          words,
        ) ||
          saferState(subject) === 'on')
      )
        return `A protection is turned off (${change})`
      if (
        /^(?:error|2)$/i.test(was) &&
        /^(?:off|warn|0|1)$/i.test(value) &&
        /security|xss|injection|eval|secret|unsafe/.test(words)
      )
        return `Nobody is stopped by the check any more (${change})`
      if (
        /(?:^|[._])resources?(?:\.\d+)?$/.test(path) &&
        /^["[\s]*\*/.test(value) &&
        /^["[\s]*(?:arn:|\/|projects\/)/.test(was)
      )
        return `It reaches everything (${change})`
      if (
        /(?:^|[._])(?:actions?|verbs|permissions|scopes?)$/.test(path) &&
        hasAll.test(value) &&
        !hasAll.test(was)
      )
        return `It may do everything (${change})`
      if (
        /(?:^|[._])ports$/.test(path) &&
        /127\.0\.0\.1|localhost/.test(was) &&
        /\d/.test(value) &&
        !/127\.0\.0\.1|localhost/.test(value)
      )
        return `It is published on every network (${change})`
      const last = was.slice(was.lastIndexOf(' ') + 1)
      if (strict.test(last) && lax.test(value) && !/log_?level|verbosity/.test(path))
        return `What stopped it lets it pass (${change})`
      return (
        ((encryptionPattern.test(was) && plain.test(value) && !encryptionPattern.test(value)) ||
          (encryptedName.test(was) && plainName.test(value))) &&
        `It is no longer encrypted (${change})`
      )
    },
  }),
]
