import { readAmount } from '../read/amounts.ts'
import type { Setting } from '../read/settings.ts'
import { type Rule, settingRule } from '../rule.ts'
import { isLocalSetting } from './words.ts'

const off = /^(?:false|no|off|disabled?|none|never|null|~|deactivated|\{\})$/i

/** Checks that keep people, money or records from harm. Their names say it, whatever the program. */
const check =
  /(?:^|[._])(?:two_factor\w*|2fa\w*|mfa\w*|step_up_auth\w*|(?:fraud|aml|kyc|sanctions?)(?:_(?:check\w*|detect\w*|block\w*|scor\w*|screen\w*|rules?|protect\w*|prevent\w*|filter\w*|guard\w*|review\w*|verif\w*|monitor\w*))?|pod_?disruption_?budget|pdb|four_eyes\w*|dual_(?:control|approval|authori[sz]ation)\w*|maker_checker\w*|age_(?:check|gate|verification)\w*|brute_force\w*|lockout\w*|duplicate_(?:check|detection|guard)\w*|de_?dup(?:e|lication|licate)?|idempoten\w*|double_(?:booking|spend|payment)_\w+|allerg\w*|interaction_(?:check|alert)s?|dos(?:e|age)_(?:check|limit|guard)s?|plausib\w*|sanity_checks?|overdraft_(?:check|protection)|balance_check|collision_\w+|geo_?fenc\w*|bot_(?:protection|detection)|virus_scan\w*|pkce\w*|dnssec|content_moderation|csrf\w*|xss\w*|signature_(?:check|verification)|consent(?:_required|_check)?|\w+_(?:blocking|lockout|interlock|guardrails?))(?:[._](?:enabled?|active|required?|state|status|value|default|on))?$/
/** A record of one person, or the description of a form: what is off there is off for nobody else. */
const isOfOne = /(?:^|\.)(?:users?|members?|customers?|profiles?|properties|parameters|schema)\./
const asked =
  /(?:^|[._])require_?(?:pairing|consent|signature\w*|signed\w*|https\w*|tls|ssl|encryption|approval\w*|confirmation|reason|justification|two_person\w*|mfa|2fa|login|auth\w*|review\w*|code_owner\w*|status_checks|client_cert\w*)$/

const bounded = /(?:^|[._])(?:rate_?limits?|rate_?limiting|throttl\w*|quotas?)[._]/
const count =
  /(?:^|[._])(?:per_\w+|rps|rpm|rate|requests?\w*|max\w*|limit|count|login|attempts?|calls|\w+_per_(?:second|minute|hour|day))$/
/** A probe that only this machine's own watchers call. */
const ownProbe = /(?:^|[._/])(?:health\w*|live\w*|ready\w*|probe\w*|metrics|internal\w*|ping)(?=$|[._/])/

const secretGuess = /(?:auth|login|password|passcode|sms|otp|pin|code|sshd?|jail|ban|lock|mfa|2fa)/

const siblings = ({ path }: Setting, all: readonly Setting[]): Setting[] => {
  const parent = path.slice(0, path.lastIndexOf('.') + 1)
  return parent === '' ? [] : all.filter(other => other.path.startsWith(parent))
}

const isOnlyForOwn = (setting: Setting, all: readonly Setting[]): boolean =>
  ownProbe.test(setting.path) ||
  siblings(setting, all).some(
    ({ key, value }) =>
      /^(?:only_(?:from|for)|allow\w*|from|source\w*|ips?|cidrs?|networks?)$/.test(key) ||
      (/^(?:path|route|endpoint)$/.test(key) && ownProbe.test(value)),
  )

/** Guesses that are so many that they are no bound, and codes that are so short that few guesses do. */
const seesGuessing = ({ words: path, key, value }: Setting): string | undefined => {
  const amount = readAmount(value)
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
export const guardRules: readonly Rule[] = [
  settingRule({
    id: 'config-guard-off',
    category: 'configuration',
    severity: 'high',
    fix: 'Leave the check on, and mend what makes it a nuisance.',
    hits: [
      '{"flags": {"two_factor_required": {"enabled": false}}}',
      'fraud_scoring: off',
      'podDisruptionBudget: {enabled: false}',
      'livenessProbe: null',
      '[prescriptions]\nallergy_check = false',
      '[link]\nrequire_pairing = false',
      'features:\n  duplicate_check:\n    state: disabled',
      'kyc:\n  required: false',
      '<configuration><add key="fraud_check" value="false"/></configuration>',
      'SELINUX=disabled',
      'SecRuleEngine Off',
      'bruteForceProtection: off',
      '{"session_cookie": {"secure": false, "http_only": false}}',
    ],
    misses: [
      '{"flags": {"two_factor_required": {"enabled": true}}}',
      '{"flags": {"new_checkout": {"enabled": false}}}',
      'fraud_scoring: on',
      'livenessProbe:\n  httpGet: {path: /healthz, port: 80}',
      '[link]\nrequire_pairing = true',
      'require_jsdoc: false',
      'fraud_banner: {enabled: false}',
      '{"user": {"fraud_check": false}}',
      '{"properties": {"kyc": {"default": false}}}',
      'SELINUX=enforcing',
      '# config.test.yml\nfraud_scoring: off',
    ],
    see(setting, artifact) {
      const { words: path, value, isRemoved } = setting
      if (isRemoved || isLocalSetting(setting, artifact) || isOfOne.test(path)) return undefined
      if (/(?:^|\.)(?:liveness|readiness|startup)_?probe$/.test(path) && off.test(value))
        return { detail: `Nobody notices that it hangs (${path})`, severity: 'medium' }
      if (
        /cookies?[._](?:\w+[._])?(?:secure|http_?only)$|cookie_?(?:secure|http_?only)$/.test(path) &&
        off.test(value)
      )
        return {
          detail: `Cookies travel in the open, or scripts can read them (${path})`,
          severity: 'medium',
        }
      if (/(?:^|\.)(?:selinux|sec_?rule_?engine|mod_?security)$/.test(path))
        return (
          /^(?:disabled|permissive|off|detectiononly)$/i.test(value) &&
          `It no longer confines (${path}: ${value})`
        )
      return (
        off.test(value) &&
        value !== '{}' &&
        (check.test(path) || asked.test(path)) &&
        `A check is off (${path})`
      )
    },
  }),
  settingRule({
    id: 'config-bound-nothing',
    category: 'configuration',
    severity: 'high',
    fix: 'Set a bound that normal use does not meet.',
    hits: [
      'rate_limits:\n  login: {per_ip: 0, window: 60s}',
      'throttle:\n  api:\n    requests_per_minute: -1',
      'sms_code:\n  max_attempts: 100000',
      '[sshd]\nmaxretry = 9999',
      'otp:\n  code_length: 4',
      '[DEFAULT]\nbantime = 1',
      '[DEFAULT]\nignoreip = 0.0.0.0/0',
      'trusted_proxies: ["0.0.0.0/0"]',
      'mynetworks = 0.0.0.0/0',
    ],
    misses: [
      'rate_limits:\n  login: {per_ip: 20, window: 60s}',
      'rate_limits:\n  probe: {per_ip: 0, path: /healthz, only_from: [192.0.2.1/32]}',
      'sms_code:\n  max_attempts: 5',
      '[sshd]\nmaxretry = 4',
      'otp:\n  code_length: 6',
      '[DEFAULT]\nbantime = 1h',
      '[DEFAULT]\nignoreip = 127.0.0.1/8 ::1',
      'trusted_proxies: ["192.0.2.0/24"]',
      'http:\n  max_attempts: 10',
    ],
    see(setting, { settings }) {
      const { words: path, value, isRemoved } = setting
      if (isRemoved) return undefined
      if (
        bounded.test(path) &&
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
  settingRule({
    id: 'config-network-open-policy',
    category: 'configuration',
    severity: 'high',
    fix: 'Name the pods and ports that may talk.',
    hits: [
      'kind: NetworkPolicy\nspec:\n  podSelector: {}\n  ingress: [{}]',
      'kind: NetworkPolicy\nspec:\n  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n    - {}',
      '--- a/deny.yaml\n+++ b/deny.yaml\n@@ -1,3 +1,3 @@\n kind: NetworkPolicy\n podSelector: {}\n-  ingress: []\n+  ingress: [{}]',
    ],
    misses: [
      'kind: NetworkPolicy\nspec:\n  podSelector: {}\n  ingress: []',
      'kind: NetworkPolicy\nspec:\n  podSelector: {matchLabels: {app: web}}\n  ingress: [{}]',
      'kind: NetworkPolicy\nspec:\n  podSelector: {}\n  ingress:\n    - from: [{podSelector: {matchLabels: {app: a}}}]',
      'ingress: {}',
      '--- a/deny.yaml\n+++ b/deny.yaml\n@@ -1,3 +1,3 @@\n kind: NetworkPolicy\n podSelector: {}\n-  ingress: [{}]\n+  ingress: []',
    ],
    see: ({ path, value, isRemoved }, { text }) =>
      !isRemoved &&
      ((/(?:^|\.)(?:ingress|egress)$/.test(path) && value === '[{}]') ||
        (/(?:^|\.)(?:ingress|egress)\.\d+$/.test(path) && value === '{}')) &&
      /NetworkPolicy/.test(text.slice(0, 20_000)) &&
      /podSelector:\s{0,3}\{\}/.test(text.slice(0, 20_000)) &&
      `Every pod may talk to every other (${path})`,
  }),
]
