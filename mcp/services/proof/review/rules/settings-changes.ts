import { growth, isBoundless, readAmount } from '../read/amounts.ts'
import { saferState } from '../read/safe-direction.ts'
import type { Setting } from '../read/settings.ts'
import { type Hit, type Rule, settingRule, wholeRule } from '../rule.ts'
import { isLocalSetting } from './words.ts'

/** What a bound is a bound of: the words of its path, without what only says that it is one. */
const danger =
  /(?:^|[._])(?:bolus|infus\w*|basal|units|withdraw\w*|transfer\w*|payout\w*|payment\w*|refund\w*|spend\w*|orders?|position\w*|leverage|exposure|loss|drawdown|slippage|discount\w*|credit\w*|amount|temp\w*|pressure|speed|rpm|voltage|current|torque|force|power|altitude|dwell|concentration|chlorine|co2?|radiation|load|weight)(?=$|[._])/
/** What hurts bodies and machines: twice as much is already another thing. */
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

/** What must not get small: copies, approvals, lengths, rounds, times for which something is locked or kept. */
const floor =
  /(?:^|[._])(?:min[._]insync[._]replicas|(?:default[._])?replication[._]?factor|replicas?(?:_?count)?|min_?available|min_?(?:replicas|instances|nodes|length|bits|age|balance|confirmations|approv\w*|review\w*|signatures?|signers?)|(?:required_)?(?:approv\w*|reviewers?|signers|confirmations)(?:_count|_required)?|quorum|password_?(?:min_?)?length|\w*key_?(?:size|length|bits)|code_?(?:length|digits)|(?:bcrypt_?|scrypt_?|pbkdf2_?|argon2?_?|hash_?)?(?:rounds|iterations|cost|work_?factor)|ban_?time|lockout\w*|lock_?out_?\w*|cool_?(?:down|ing)\w*|delay_?(?:period|window)|timelock\w*|backup\w*_(?:count|copies)|copies)$/
const keptFor =
  /(?:^|[._])(?:\w*retention\w*(?:[._](?:ms|s|sec|seconds|minutes|hours|days|weeks|months|years|period))?|(?:keep|expire|expiration|expiry)_?(?:after_?)?(?:days|hours|months|years)|\w*lock_?period\w*)$/

/** Bounds for which nothing is the strictest value, or where no bound is usual. */
const zeroIsStrict =
  /retr(?:y|ies)|unavailable|surge|lag|failures?_allowed|tolerance|age|cache|delay|jitter|batch|idle|keep_?alive|parallel|workers|verbosity|depth/

/** Seconds, where the name of a setting tells what its number counts. */
const toSeconds = (path: string, value: string): number | undefined => {
  const amount = readAmount(value)
  if (!amount) return undefined
  if (amount.unit === 'seconds') return amount.size
  const unit = /[._](ms|seconds|minutes|hours|days|weeks|months|years)$/.exec(path)?.[1]
  return unit === undefined ? undefined : readAmount(`${amount.size} ${unit}`)?.size
}

const findLostBound = ({ words: path, value, was = '' }: Setting): string | undefined => {
  const change = `${path}: ${was.slice(0, 30)} to ${value.slice(0, 30)}`
  const times = growth(was, value)
  const before = readAmount(was)
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
  const length = readAmount(value)?.size ?? 0
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
    (readAmount(value)?.size ?? 0) >= 86_400
  )
    return `Who has signed in stays so (${change})`
  const after = readAmount(value)?.size ?? 0
  if (floor.test(path) && before !== undefined && (times <= 0.34 || (after <= 1 && before.size >= 2)))
    return `Too little is left (${change})`
  return keptFor.test(path) && times <= 0.05 ? `It is gone soon (${change})` : undefined
}

const strict =
  /^(?:deny|denied|drop|reject|block(?:ing)?|enforc(?:e|ed|ing)|strict|required?|mandatory|quarantine|fail_?closed|prevent(?:ion)?|abort|verify(?:_|-)?(?:full|ca|peer|identity)?|fail|page|critical|blocker|manual)$/i
const lax =
  /^(?:allow(?:ed|_all)?|accept|permit|permissive|warn(?:ing)?|log(?:_?only)?|audit|detect(?:ion)?_?(?:only)?|monitor(?:ing)?|report_?(?:only)?|ignore|none|off|disabled?|no|never|optional|complain|fail_?open|continue|dry_?run|passive|pass|skip|info|low|lowest|debug|any|prefer(?:red)?|auto(?:matic)?)$/i

/** Ways in which callers come in without being heard or seen: what was encrypted, and is plain. */
const encrypted =
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
const guarded = /(?:^|[._])(?:password\w*|security|auth\w*|encryption|tls|ssl|audit|firewall|waf)\.\w+$/

/** What looks for holes, secrets and forged packages before something is shipped. */
const scanner =
  /\b(?:trivy|grype|snyk|semgrep|codeql|gitleaks|trufflehog|checkov|tfsec|kube-?linter|conftest|bandit|gosec|brakeman|sonar(?:qube|cloud|-scanner)|dependency-review|osv-scanner|pip-audit|cargo[ -]audit|(?:npm|yarn|pnpm) audit|govulncheck|cosign verify|slsa-verifier|clamscan|zap-baseline)\b/i

const toSwitch = (value: string): boolean | undefined =>
  /^(?:true|yes|on|1|enabled?)$/i.test(value)
    ? true
    : /^(?:false|no|off|0|disabled?)$/i.test(value)
      ? false
      : undefined

/** Settings of which the text tells what they were before: a diff, `old -> new`, a comment, a patch. */
export const changeRules: readonly Rule[] = [
  settingRule({
    id: 'config-bound-lost',
    category: 'configuration',
    severity: 'high',
    fix: 'Keep the bound near what normal use needs, and have the owner of the risk agree.',
    hits: [
      'pump.ini\n[dose]\nmax_bolus_units = 90 # was 9',
      'transfers:\n  daily_limit: 0 # previously 5000',
      'limits\n  max_withdrawal  500 -> 1000000',
      'sshd\n  MaxAuthTries  3 -> 60',
      'cluster\n  min.insync.replicas  2 -> 1',
      'topic\n  retention.ms  604800000 -> 60000',
      '--- a/policy.yml\n+++ b/policy.yml\n@@ -1 +1 @@\n-required_approvals: 2\n+required_approvals: 0',
      '--- a/jail.conf\n+++ b/jail.conf\n@@ -1 +1 @@\n-bantime = 1h\n+bantime = 5s',
      'oven:\n  max_temp_c: 2300 # down from 230',
      'password_policy\n  password.min_length: 14 -> 6',
      'fuse_rating_amps: 160 # was 16',
      'audit_sample_rate: 1.0 -> 0.0',
      'heartbeat:\n  interval_s: 3600 # was 5',
      'payments\n  approval_above_eur: 1000 -> 100000',
      'hall:\n  max_occupancy: 900 # was 300',
      'valve:\n  open_at_bar: 30 # was 3',
      'realm\n  accessTokenLifespan: 300 -> 31536000',
      'topic x: cleanup.policy compact -> delete, retention.ms -1 -> 60000',
    ],
    misses: [
      'pump.ini\n[dose]\nmax_bolus_units = 20 # was 25',
      'transfers:\n  daily_limit: 5000 # previously 0',
      'sshd\n  MaxAuthTries  6 -> 3',
      'cluster\n  min.insync.replicas  1 -> 2',
      'web:\n  replicas: 4 # was 6',
      'payments\n  approval_above_eur: 5000 -> 1000',
      'http:\n  max_retries: 0 # was 3',
      'pool:\n  max_size: 200 # was 20',
      'deploy:\n  maxUnavailable: 0 # was 1',
      'logs:\n  retention_days: 14 # was 30',
    ],
    see: setting => !setting.isRemoved && setting.was !== undefined && findLostBound(setting),
  }),
  settingRule({
    id: 'config-unit-slip',
    category: 'configuration',
    severity: 'high',
    fix: 'Say in the name what the number counts, and test it against a known result.',
    hits: [
      'vat:\n  standard: 21 # was 0.21',
      'rates\n  DE: {full: 0.19 -> 19}',
      '--- a/fees.json\n+++ b/fees.json\n@@ -1 +1 @@\n-  "card_fee": 0.015,\n+  "card_fee": 1.5,',
    ],
    misses: [
      'vat:\n  standard: 0.21 # was 0.19',
      'rates\n  DE: {full: 19 -> 21}',
      'sample_rate: 1 # was 0.25',
      'fee_percent: 1.5 # was 0.015, the schema counts percent since v2',
    ],
    see: ({ path, value, was, isRemoved }) => {
      if (isRemoved || was === undefined || /percent|pct|basis|bps/.test(path)) return undefined
      const [before, times] = [readAmount(was), growth(was, value)]
      return (
        before !== undefined &&
        before.size < 1 &&
        before.unit === '' &&
        times !== undefined &&
        Math.abs(times - 100) < 1e-6 &&
        `It becomes a hundred times as much, as when a fraction is taken for percent (${path}: ${was} to ${value})`
      )
    },
  }),
  settingRule({
    id: 'config-change-weakens',
    category: 'configuration',
    severity: 'high',
    fix: 'Leave the protection as it was, or name what takes its place.',
    hits: [
      'waf\n  mode  block -> log',
      'selinux: permissive # was enforcing',
      'server\n  listeners  SASL_SSL://:9093 -> PLAINTEXT://0.0.0.0:9092',
      '--- a/dmarc.yml\n+++ b/dmarc.yml\n@@ -1 +1 @@\n-policy: reject\n+policy: none',
      'api\n  verifySignature  true -> false',
      'realm\n  bruteForceProtected: true -> false',
      'password_policy:\n  complexity: false # was true',
      'encryption:\n  at_rest: none # was aes-256-gcm',
      'listener\n  protocol = "HTTP" # was HTTPS',
      '--- a/iam.json\n+++ b/iam.json\n@@ -1 +1 @@\n-  "Resource": "arn:aws:s3:::r/*"\n+  "Resource": "*"',
      '--- a/iam.json\n+++ b/iam.json\n@@ -1 +1 @@\n-  "Action": ["s3:GetObject"]\n+  "Action": ["s3:*"]',
      '--- a/compose.yml\n+++ b/compose.yml\n@@ -1 +1 @@\n-    ports: ["127.0.0.1:5432:5432"]\n+    ports: ["5432:5432"]',
      'lint\n  security/detect-eval: error -> off',
      'caddy\n  basicauth -> (removed)',
      'pii\n  mask_card_numbers: true -> false',
      'webhooks:\n- failurePolicy: Ignore # was Fail',
      { type: 'general', artifact: 'Change on the bastion\n  PermitRootLogin  no -> yes\nReason: easier.' },
      'broker\n  allow.anonymous  false -> true',
      '[{"op": "remove", "path": "/spec/rateLimit"}]',
      'sshd\n  AllowUsers  ops@192.0.2.0/24 -> (line removed)',
      '[{"op": "remove", "path": "/spec/template/spec/containers/0/securityContext"}]',
    ],
    misses: [
      'waf\n  mode  log -> block',
      'selinux: enforcing # was permissive',
      'server\n  listeners  PLAINTEXT://:9092 -> SASL_SSL://:9093',
      'api\n  verifySignature  false -> true',
      '[{"op": "remove", "path": "/spec/debugEndpoints"}]',
      '[{"op": "test", "path": "/spec/rateLimit", "value": 5}]',
      'log\n  level  warning -> info',
      'ui\n  darkMode  true -> false',
      'ui\n  require_terms_banner  true -> false',
      'lint\n  no-console: error -> off',
      '--- a/iam.json\n+++ b/iam.json\n@@ -1 +1 @@\n-  "Action": "s3:*"\n+  "Action": ["s3:GetObject"]',
      '--- a/compose.yml\n+++ b/compose.yml\n@@ -1 +1 @@\n-    ports: ["5432:5432"]\n+    ports: ["127.0.0.1:5432:5432"]',
      'listener\n  protocol = "HTTPS" # was HTTP',
      '--- a/.env.local.example\n+++ b/.env.local.example\n@@ -1 +1 @@\n-APP_DEBUG=false\n+APP_DEBUG=true',
    ],
    see: (setting, artifact) => {
      const { path, words, value, was, isRemoved } = setting
      const key = words.slice(words.lastIndexOf('.') + 1)
      if (isLocalSetting(setting, artifact)) return undefined
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
            (guarded.test(words) ? saferState(words.split('.').slice(-2).join('_')) : undefined)) ===
            (isOn ? 'off' : 'on') && `A protection is turned ${isOn ? 'open' : 'off'} (${change})`
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
        ((encrypted.test(was) && plain.test(value) && !encrypted.test(value)) ||
          (encryptedName.test(was) && plainName.test(value))) &&
        `It is no longer encrypted (${change})`
      )
    },
  }),
  wholeRule({
    id: 'pipeline-check-gone',
    category: 'configuration',
    type: 'config_change',
    severity: 'high',
    fix: 'Keep the check, and let it except what is known and agreed.',
    hits: [
      '--- a/ci.yml\n+++ b/ci.yml\n@@ -1,3 +1 @@\n-  - name: trivy\n-    args: [image, app]\n   - name: deploy',
      '--- a/.gitlab-ci.yml\n+++ b/.gitlab-ci.yml\n@@ -1,2 +1 @@\n script:\n-  - npm audit --audit-level=high',
    ],
    misses: [
      '--- a/ci.yml\n+++ b/ci.yml\n@@ -1,2 +1,2 @@\n-  - trivy image app\n+  - grype app\n   - name: deploy',
      '--- a/ci.yml\n+++ b/ci.yml\n@@ -1,2 +1 @@\n-  - echo done\n   - name: deploy',
      '--- a/README.md\n+++ b/README.md\n@@ -1,2 +1 @@\n-We run trivy.\n x',
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        if (
          file.isDeleted ||
          !(file.name === '' || /\.(?:ya?ml|toml|json|groovy)$|Jenkinsfile$|Makefile$/.test(file.name))
        )
          return []
        const gone = file.lines.find(
          ({ text, change, isComment }) => change === 'removed' && !isComment && scanner.test(text),
        )
        const isKept = file.lines.some(({ text, change }) => change !== 'removed' && scanner.test(text))
        return gone && !isKept
          ? [
              {
                detail: `Nobody looks for holes any more: ${gone.text.trim().slice(0, 60)}`,
                place: gone.place,
              },
            ]
          : []
      }),
  }),
]
