/** Subject of a switch, by the words of its name: more of it is safer, or less. */
const protective =
  /(?:^|_)(?:secure(?!_?boot_off)|http_?only|sign(?:ed|ature|atures|ing)?|verif\w*|strict\w*|encrypt\w*|tls\w*|ssl\w*|https|csrf\w*|xsrf\w*|auth(?!or$)\w*|rbac|acl|iam|validat\w*|protect\w*|saniti[sz]\w*|escap\w*|enforc\w*|audit\w*|(?:log|logs|logging)$|sandbox\w*|isolat\w*|security|mfa|2fa|otp|two|read_?only|immutable|version(?:s|ing)|backups?|snapshots?|final|same_?site|hsts|rate|throttl\w*|limit\w*|integrity|check\w*|firewall|waf|seccomp|apparmor|selinux|password|pass|approv\w*|review\w*|confirm\w*|monitor\w*|alarm\w*|alert\w*|guard\w*|interlock\w*|non_?root|no_?new_?privileges|hooks?|tests?|certificate\w*|host_?key|hostname|rotation|fsync|captcha|scan\w*|quarantine|lock\w*|mask\w*|redact\w*|anonymi[sz]\w*|dnssec|pkce|hsts|network_polic\w*|disruption\w*|origin|log_(?:connections|disconnections|statements?|queries|failures|access)|geo_?fenc\w*)(?=_|$)/

const exposing =
  /(?:^|_)(?:insecure|unsafe|bypass\w*|public\w*|anonymous\w*|anon|guest\w*|debug\w*|trust_?all|(?<!brute_)force|expos\w*|exported|wildcard|any|everyone|all_?origins|root(?!_?file)|privileg\w*|escalation|plain_?text|cleartext|unencrypted|node_?integration|empty_?passwords?|destroy|delet\w*|terminat\w*|overwrite|purge|truncate|external\w*|remote_?(?:root|code|shell|access)|self_?signed|invalid\w*|expired|host_?(?:network|pid|ipc)|dangerous\w*|danger\w*|unverified|untrusted|weak|legacy|telnet|ftp|autoindex|directory_?listing|eval|inline|unlimited|listing|forwarding|x11\w*|tunnel|impersonat\w*)(?=_|$)/

/** Verbs that let something in, keep something out, ask for something, or leave something out. */
const lets =
  /(?:^|_)(?:allow(?!_?list)|allows|allowed|permit|permits|accept|accepts|expose|exposes|trust|trusts|grant|grants)(?=_|$)/
const keepsOut =
  /(?:^|_)(?:block|blocks|blocked|deny|denies|restrict|restricts|prevent|prevents|reject|rejects|forbid|forbids|refuse|prohibit)(?=_|$)/
const asks =
  /(?:^|_)(?:require|requires|required|enforce|enforces|verify|validate|must|need|needs|ensure|protect|check)(?=_|$)/
const leavesOut =
  /(?:^|_)(?:disable|disables|disabled|no|non|skip|skips|bypass|without|ignore|ignores|omit|suppress|mute|dont|turn_?off)(?=_|$)/

/** A name in lower case with underscores, whatever way it is written. */
const toWords = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s.-]+/g, '_')
    .replace(/_(?:enabled?|active|status|required)$/, '')
    // Written as one word: "blockpublicacls".
    .replace(
      /^(block|ignore|restrict|allow|disable|enable|require|permit|deny)(?=(?:public|anonymous|privilege|root|empty|auth|tls|ssl)\w)/,
      '$1_',
    )

/**
 * In which state a switch is safer, by the meaning of its name; undefined for one of no known meaning.
 * `block_public_acls` is safer on, `allow_anonymous` off, `disable_tls` off, `disable_root_login` on.
 */
export const saferState = (name: string): 'on' | 'off' | undefined => {
  const words = toWords(name).replace(/password_?auth\w*/, 'plaintext')
  if (/(?:^|_)(?:ignore_errors?|continue_on_error|fail_open)$/.test(words)) return 'off'
  // What is only seen guards nothing.
  if (
    /_(?:banner|tab|page|ui|button|label|icon|tooltip|link|menu|theme|colou?r|badge|widget|panel)$/.test(
      words,
    )
  )
    return undefined
  // What a name ends in is what it is: "deletion_protection" protects.
  if (!leavesOut.test(words) && /_(?:protection|prevention|verification|check|filter)$/.test(words))
    return 'on'
  const about = words
    .replace(new RegExp(lets.source, 'g'), '')
    .replace(new RegExp(keepsOut.source, 'g'), '')
    .replace(new RegExp(leavesOut.source, 'g'), '')
  const [isProtective, isExposing] = [protective.test(about), exposing.test(about)]
  if (keepsOut.test(words)) return isProtective && !isExposing ? undefined : 'on'
  if (leavesOut.test(words)) {
    // "insecure_skip_verify" tells what leaving it out is.
    if (exposing.test(isProtective ? about.replace(/insecure|unsafe|dangerous\w*/g, '') : about)) return 'on'
    return isProtective ? 'off' : undefined
  }
  if (asks.test(words)) return 'on'
  if (lets.test(words)) return isProtective && !isExposing ? undefined : 'off'
  if (isProtective !== isExposing) return isProtective ? 'on' : 'off'
  return undefined
}

const isOn = /^(?:true|yes|on|1|enabled?|always)$/i
const isOff = /^(?:false|no|off|0|disabled?|never)$/i

/** True when a switch is in the state in which it is safer. */
export const isSafer = (name: string, value: string): boolean => {
  const state = isOn.test(value) ? 'on' : isOff.test(value) ? 'off' : undefined
  return state !== undefined && saferState(name) === state
}
