import type { DiffFile, Line } from '../read/lines.ts'
import { saferState } from '../read/safe-direction.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { isLocalFile } from './words.ts'

const diff = (file: string, ...rows: readonly string[]): string =>
  `--- a/${file}\n+++ b/${file}\n@@ -1,9 +1,9 @@\n${rows.join('\n')}`

/** Files that hold settings; of code other rules tell. */
const settingFile =
  /^$|\.(?:ya?ml|json|toml|ini|conf|cfg|cnf|env|properties|tf|tfvars|hcl|xml|rules|v[46]|list|config|service|timer)$|(?:^|\/)(?:\.env[\w.-]*|sshd_config|crontab|sudoers|Caddyfile|CODEOWNERS|Dockerfile|exports|hosts\.\w+)$/i

/** What stops callers, notices failures, or keeps copies: gone is off. */
const guard =
  /^(?:(?:liveness|readiness|startup)_?probe|health_?check|security_?context|network_?policy|pod_?disruption_?budget|limit_(?:req|conn|except)|rate_?limit\w*|deny|auth_(?:basic|request|jwt)\w*|basic_?auth\w*|x_?frame_?options|content_security_policy|secure_hsts_\w+|strict_transport_security|allow_?(?:users|groups)|max_?auth_?tries|require_?(?:auth\w*|mfa|2fa|tls|ssl|https|sign\w*|approv\w*|review\w*|valid\w*|client_cert\w*|login|secure\w*)|ssl_verify\w*|proxy_ssl_verify|acl|auth|mtls|waf\w*|backup\w*|prevent_destroy|deletion_protection|required_reviewers|stop_?loss\w*|circuit_?breaker|validat\w+)$/

const toKey = (text: string): string =>
  (/^\s{0,80}(?:-\s)?["']?([A-Za-z_][\w.-]{1,60})["']?(?=\s*[:={]|\s|$)/.exec(text)?.[1] ?? '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[.-]/g, '_')

const isOff = /[\s:=]["']?(?:off|false|no|none|0|disabled?)["']?[;,]?\s*$/i

const findGone = ({ lines, isDeleted }: DiffFile): Line | undefined => {
  if (isDeleted) return undefined
  const removed = lines.filter(({ change, isComment }) => change === 'removed' && !isComment)
  // A whole object that goes takes its guards along; other rules tell of it.
  if (removed.some(({ text }) => /^\s*(?:resource|module|data)\s+"|^kind:|^apiVersion:/.test(text)))
    return undefined
  const stays = lines.filter(({ change, isComment }) => change !== 'removed' && !isComment)
  const kept = new Set(stays.map(({ text }) => toKey(text)))
  // Another guard may take the place of one.
  if (stays.some(({ text, change }) => change === 'added' && guard.test(toKey(text)) && !isOff.test(text)))
    return undefined
  return removed.find(({ text }) => {
    const key = toKey(text)
    return guard.test(key) && !kept.has(key) && !isOff.test(text) && saferState(key) !== 'off'
  })
}

const matters =
  /backup|audit|auth|tls|ssl|limit|deny|requir|verify|scan|check|alert|monitor|guard|protect|polic|firewall|retention|snapshot|probe|encrypt|owner|@[\w-]+\/?[\w-]*team|no_?new_?privileges|certbot|renew|patch|upgrade/i

/** A row that became a comment: it does nothing any more, and nobody sees that it went. */
const findCommentedOut = ({ name, lines }: DiffFile): Line | undefined => {
  // A row that begins with a star is no comment here.
  const removed = new Set(
    lines
      .filter(({ change, text }) => change === 'removed' && !/^\s*(?:#|\/\/|;)/.test(text))
      .map(({ text }) => text.trim()),
  )
  return lines.find(({ change, text }) => {
    const bare =
      change === 'added' ? /^\s{0,80}(?:#|\/\/|;|--)\s{0,4}(\S.*)$/.exec(text)?.[1]?.trim() : undefined
    return (
      bare !== undefined &&
      removed.has(bare) &&
      (matters.test(bare) || /CODEOWNERS/.test(name)) &&
      !isOff.test(bare)
    )
  })
}

const stops = /\b(?:drop|deny|denied|reject|block)\b/i
const lets = /\b(?:accept|allow|allowed|permit|pass)\b/i

/** Rows that differ by one word alone: what was stopped is let in. */
const findLetIn = ({ lines }: DiffFile): Line | undefined => {
  const stopped = new Set(
    lines
      .filter(({ change, text, isComment }) => change === 'removed' && !isComment && stops.test(text))
      .map(({ text }) => text.trim().replace(stops, '§')),
  )
  return stopped.size === 0
    ? undefined
    : lines.find(
        ({ change, text, isComment }) =>
          change === 'added' && !isComment && lets.test(text) && stopped.has(text.trim().replace(lets, '§')),
      )
}

const masks = /\s*(?:\|\|\s*(?:true|:|exit 0|echo\b[^|&;]{0,60})|;\s*(?:true|exit 0))\s*["']?\s*$/

/** A check whose failure no longer counts. */
const findMasked = ({ lines }: DiffFile): Line | undefined => {
  const removed = new Set(lines.filter(({ change }) => change === 'removed').map(({ text }) => text.trim()))
  return lines.find(
    ({ change, text, isComment }) =>
      change === 'added' &&
      !isComment &&
      masks.test(text.slice(-200)) &&
      removed.has(text.trim().replace(masks, '').trim()),
  )
}

/** What a change of settings takes away, as rows that are no longer there or do nothing any more. */
export const removedRules: readonly Rule[] = [
  wholeRule({
    id: 'config-guard-gone',
    category: 'configuration',
    type: 'config_change',
    severity: 'high',
    fix: 'Leave it in, or say in the change what takes its place.',
    hits: [
      diff(
        'api.yaml',
        ' containers:',
        '-  readinessProbe:',
        '-    httpGet: {path: /ready, port: 80}',
        '   image: a:1',
      ),
      diff('nginx.conf', '-    limit_req zone=login burst=5;', '     proxy_pass http://api;'),
      diff('crontab', '-15 2 * * * /opt/backup/run', '+# 15 2 * * * /opt/backup/run'),
      diff('CODEOWNERS', '-* @sec', '+# * @sec'),
      diff(
        'nft.conf',
        '-  type filter hook input priority 0; policy drop;',
        '+  type filter hook input priority 0; policy accept;',
      ),
      diff('rules.v4', '-:INPUT DROP [0:0]', '+:INPUT ACCEPT [0:0]'),
      diff('ci.yml', '-      - run: npm test', '+      - run: npm test || true'),
      diff('app.ini', '-; old', '-X_FRAME_OPTIONS = DENY', ' a = 1'),
    ],
    misses: [
      diff(
        'api.yaml',
        '-  readinessProbe:',
        '-    httpGet: {path: /ready, port: 80}',
        '+  readinessProbe:',
        '+    tcpSocket: {port: 80}',
      ),
      diff('nginx.conf', '-    auth_basic off;', '     proxy_pass http://api;'),
      diff('nginx.conf', '-    auth_basic "x";', '+    auth_request /oauth2;'),
      diff('crontab', '-15 2 * * * /opt/report/run', '+15 3 * * * /opt/report/run'),
      diff('nft.conf', '-  policy accept;', '+  policy drop;'),
      diff('ci.yml', '-      - run: npm test || true', '+      - run: npm test'),
      diff('docker-compose.local.yml', '-    healthcheck: {test: a}', ' image: a:1'),
    ],
    see: ({ files, type }) =>
      type !== 'config_change'
        ? []
        : files.flatMap((file): Hit[] => {
            if (!settingFile.test(file.name) || isLocalFile(file.name)) return []
            const found = [
              ['It is no longer there', findGone(file)],
              ['It is only a comment now', findCommentedOut(file)],
              ['What was stopped is let in', findLetIn(file)],
              ['Its failure no longer counts', findMasked(file)],
            ] as const
            return found.flatMap(([what, line]) =>
              line ? [{ detail: `${what}: ${line.text.trim().slice(0, 80)}`, place: line.place }] : [],
            )
          }),
  }),
]
