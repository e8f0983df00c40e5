import { parseQuantity } from '../read/amounts.ts'
import type { ArtifactSetting } from '../read/settings.ts'
import { type Detector, narrow, settingFact } from './fact.ts'
import { isLocalSetting } from './words.ts'

const off = /^(?:false|no|off|disabled?|none|never|null|~|deactivated|\{\})$/i

/** Checks that keep people, money or records from harm. Their names say it, whatever the program. */
const check =
  /(?:^|[._])(?:two_factor\w*|2fa\w*|mfa\w*|step_up_auth\w*|(?:fraud|aml|kyc|sanctions?)(?:_(?:check\w*|detect\w*|block\w*|scor\w*|screen\w*|rules?|protect\w*|prevent\w*|filter\w*|guard\w*|review\w*|verif\w*|monitor\w*))?|pod_?disruption_?budget|pdb|four_eyes\w*|dual_(?:control|approval|authori[sz]ation)\w*|maker_checker\w*|age_(?:check|gate|verification)\w*|brute_force\w*|lockout\w*|duplicate_(?:check|detection|guard)\w*|de_?dup(?:e|lication|licate)?|idempoten\w*|double_(?:booking|spend|payment)_\w+|allerg\w*|interaction_(?:check|alert)s?|dos(?:e|age)_(?:check|limit|guard)s?|plausib\w*|sanity_checks?|overdraft_(?:check|protection)|balance_check|collision_\w+|geo_?fenc\w*|bot_(?:protection|detection)|virus_scan\w*|pkce\w*|dnssec|content_moderation|csrf\w*|xss\w*|signature_(?:check|verification)|consent(?:_required|_check)?|\w+_(?:blocking|lockout|interlock|guardrails?))(?:[._](?:enabled?|active|required?|state|status|value|default|on))?$/

/** A record of one person, or the description of a form: what is off there is off for nobody else. */
const isOfOne = /(?:^|\.)(?:users?|members?|customers?|profiles?|properties|parameters|schema)\./

const confirmationPattern =
  /(?:^|[._])require_?(?:pairing|consent|signature\w*|signed\w*|https\w*|tls|ssl|encryption|approval\w*|confirmation|reason|justification|two_person\w*|mfa|2fa|login|auth\w*|review\w*|code_owner\w*|status_checks|client_cert\w*)$/

const rateLimitPattern = /(?:^|[._])(?:rate_?limits?|rate_?limiting|throttl\w*|quotas?)[._]/

const count =
  /(?:^|[._])(?:per_\w+|rps|rpm|rate|requests?\w*|max\w*|limit|count|login|attempts?|calls|\w+_per_(?:second|minute|hour|day))$/

/** A probe that only this machine's own watchers call. */
const ownProbe = /(?:^|[._/])(?:health\w*|live\w*|ready\w*|probe\w*|metrics|internal\w*|ping)(?=$|[._/])/

const secretGuess = /(?:auth|login|password|passcode|sms|otp|pin|code|sshd?|jail|ban|lock|mfa|2fa)/

const siblings = ({ path }: ArtifactSetting, all: readonly ArtifactSetting[]): ArtifactSetting[] => {
  const parent = path.slice(0, path.lastIndexOf('.') + 1)
  return parent === '' ? [] : all.filter(other => other.path.startsWith(parent))
}

const isOnlyForOwn = (setting: ArtifactSetting, all: readonly ArtifactSetting[]): boolean =>
  ownProbe.test(setting.path) ||
  siblings(setting, all).some(
    ({ key, value }) =>
      /^(?:only_(?:from|for)|allow\w*|from|source\w*|ips?|cidrs?|networks?)$/.test(key) ||
      (/^(?:path|route|endpoint)$/.test(key) && ownProbe.test(value)),
  )

/** Guesses that are so many that they are no bound, and codes that are so short that few guesses do. */
const seesGuessing = ({ words: path, key, value }: ArtifactSetting): string | undefined => {
  const amount = parseQuantity(value)
  if (!amount) return undefined
  const isSecret = secretGuess.test(path)
  if (
    /(?:attempts?|tries|retry|failures|failed_logins|guesses)$/.test(key) &&
    !/interval|delay|wait/.test(key)
  )
    return amount.size >= (isSecret ? 50 : 5000)
      ? `So many guesses are no bound (${path}: ${value})`
      : undefined
  if (
    /(?:^|[._])(?:otp|sms|pin|code|totp|verification\w*|passcode)_?(?:code_?)?(?:length|digits)$/.test(path)
  )
    return amount.size < (/pin/.test(path) ? 4 : 6) && amount.size > 0
      ? `So short a code is soon guessed (${path}: ${value})`
      : undefined
  return /(?:^|[._])(?:ban_?time|ban_?duration|lock_?out_?(?:time|duration|period|seconds)?)$/.test(path) &&
    amount.size >= 0 &&
    amount.size < 30 &&
    (amount.unit === '' || amount.unit === 'seconds') &&
    !/minutes|hours|days/.test(path)
    ? `Who is locked out may go on at once (${path}: ${value})`
    : undefined
}

/** Protection that is off or bounds nothing, whatever it was before. */
export const guardFacts: readonly Detector[] = [
  settingFact({
    id: 'config-guard-off',
    see(setting, _act) {
      const { words: path, value, isRemoved } = setting
      if (isRemoved || isLocalSetting(setting) || isOfOne.test(path)) return undefined
      if (/(?:^|\.)(?:liveness|readiness|startup)_?probe$/.test(path) && off.test(value))
        return narrow(`Nobody notices that it hangs (${path})`)
      if (
        /cookies?[._](?:\w+[._])?(?:secure|http_?only)$|cookie_?(?:secure|http_?only)$/.test(path) &&
        off.test(value)
      )
        return narrow(`Cookies travel in the open, or scripts can read them (${path})`)
      if (/(?:^|\.)(?:selinux|sec_?rule_?engine|mod_?security)$/.test(path))
        return (
          /^(?:disabled|permissive|off|detectiononly)$/i.test(value) &&
          `It no longer confines (${path}: ${value})`
        )
      return (
        off.test(value) &&
        value !== '{}' &&
        (check.test(path) || confirmationPattern.test(path)) &&
        `A check is off (${path})`
      )
    },
  }),
  settingFact({
    id: 'config-bound-nothing',
    see(setting, { settings }) {
      const { words: path, value, isRemoved } = setting
      if (isRemoved) return undefined
      if (
        rateLimitPattern.test(path) &&
        count.test(path) &&
        /^(?:0|-1|unlimited|none|null|infinity)$/i.test(value) &&
        !isOnlyForOwn(setting, settings)
      )
        return `Nothing bounds it (${path}: ${value})`
      if (
        /(?:^|[._])(?:ignore|exempt|trusted|bypass|skip|except|white_?list\w*|real_ip|my)_?(?:ips?|from|cidrs?|networks?|prox(?:y|ies)|hosts?|ranges?|addresses|sources?)?(?:[._]\d+)?$/.test(
          path,
        ) &&
        /(?:^|[\s,"'[])(?:0\.0\.0\.0\/0|::\/0|\*)(?=$|[\s,"'\]])/.test(value)
      )
        return `Everybody is an exception (${path}: ${value.slice(0, 40)})`
      return seesGuessing(setting)
    },
  }),
]
