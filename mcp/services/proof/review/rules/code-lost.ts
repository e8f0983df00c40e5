import type { DiffFile, Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { changed, codeAfter, diff, excerpt, squeeze } from './code-lines.ts'

/** Something that protects, by what it is and not by who does it: whichever way it is done afterwards, it is still done. */
type Concern = {
  name: string
  /** What does it before. */
  done: RegExp
  /** What else does it, or takes its place; default: the same. */
  still?: RegExp
  /** What must be there afterwards for the loss to matter. */
  matters?: RegExp
  /** What lines are about that do not count. */
  aside?: RegExp
}

/** What takes something away for good, or reaches somebody outside. */
const weighty =
  /\b(?:Remove|Clear|Disable|Uninstall|Reset|Stop)-[A-Z]\w+|\b\w{0,20}(?:delete|destroy|purge|wipe|drop|truncate|erase|rmtree|charge|payout|refund|transfer|withdraw|terminate|disable|send_?(?:mail|sms|all)|sendMail|publish|deploy|anonymi[sz]e)\w{0,20}\b|\brm\s+-/i

const concerns: readonly Concern[] = [
  {
    name: 'how much there may be at most',
    done: /\bif\s*\(?\s*(\w{1,40})\s*[<>]=?\s*\w{0,40}(?:MAX|MIN|LIMIT|CAP|[mM]ax|[mM]in|[lL]imit)\w{0,40}\s*\)?\s*\{?:?\s*\1\s*=|\b(?:clamp|min|max)\s*\([^\n]{0,80}\b\w{0,40}(?:MAX|MIN|LIMIT|CAP|[mM]ax_?[A-Z]|[lL]imit)\w{0,40}/,
    still:
      /clamp|\bmin\b|\bmax\b|[<>]=?\s*\w{0,40}(?:MAX|MIN|LIMIT|CAP|max|min|limit)|saturat|limit|schema|parse\(|validate/i,
    aside: /width|height|zoom|offset|padding|margin|column|pixel|scroll|px\b|opacity/i,
  },
  {
    name: 'what comes from outside the kernel',
    done: /\b(?:copy_(?:from|to)_user|get_user|put_user|access_ok|strncpy_from_user|memdup_user)\b/,
    still: /_user\b|access_ok|memdup_user|import_iov|copy_(?:from|to)_/,
  },
  {
    name: 'that cookies stay with the browser',
    done: /cookie[^\n]{0,200}\b(?:HttpOnly|Secure|SameSite)\b/i,
    still: /HttpOnly|Secure|SameSite/i,
    matters: /cookie/i,
  },
  {
    name: 'in which zone a time is',
    done: /\btz_?info\s*=|\bZoneId\.|\btimezone\.utc\b|\bwithZone\w*\(|\bAT\s+TIME\s+ZONE\b|\.astimezone\(|\bZoneInfo\(/,
    still: /tz|zone|utc|instant|toISOString|epoch|timestamp/i,
    matters: /datetime|date|time/i,
  },
  {
    name: 'that a failure is heard',
    done: /\|\|\s*(?:mail|\w{0,20}alert|\w{0,20}notify|logger|exit\s+[1-9]|die|fail)\b|^\s*set\s+-\w{0,6}e|\bpipefail\b|\braise_for_status\b|\bEnsureSuccessStatusCode\b|^OnFailure=/,
    still:
      /\|\|(?!\s*(?:true\b|:))|set\s+-\w{0,6}e|pipefail|raise|throw|\bexit\s+[1-9]|alert|notify|OnFailure|status|\btrap\b|\berr/i,
  },
  {
    name: 'that what somebody wants gone is gone',
    done: /\b(?:destroy|delete|erase|forget|purge|anonymi[sz]e)_?(?:all|user|account|personal|data|customer|profile)\w{0,20}[!(.]|\.(?:delete|destroy|erase|purge|cancel|unsubscribe|anonymi[sz]e)\w{0,20}!?\s*(?:\(|$)/i,
    still:
      /delet\w*\s*\(|destroy|erase|purge|anonymi|forget|\.delete\b|cancel\w*!?\s*\(|unsubscribe\w*!?\s*\(|remove\w*!?\s*\(|archive|deleted_?at/i,
    matters:
      /\b(?:deleted|erased|forgotten|unsubscribed|cancell?ed)\b["']?\s*(?:=>|[:=]|\.html|["'])|gdpr|dsgvo|right_to/i,
  },
  {
    name: 'how often somebody may try',
    done: /\b\w{0,30}(?:rate_?limit|limiter|throttl|captcha|turnstile|slow_?down|brute_?force|lock_?out|max_?attempts|failed_?attempts|login_?attempts|too_?many)\w{0,30}/i,
    still:
      /limit|throttl|captcha|turnstile|attempts|lock_?out|too_?many|bucket|exhaust|retr(?:y|ies)|\btries\b|slow_?down|Rack::Attack|quota/i,
  },
  {
    name: 'that only one does it at a time',
    done: /@SchedulerLock|\badvisory_(?:xact_)?lock|\bpg_try_advisory\w*|\bflock\b|\bwith_?lock\b|red_?lock|\block(?:AtMost|AtLeast)\w*|\bacquire_?lock\b|withoutOverlapping|onOneServer|DisallowConcurrentExecution|concurrencyPolicy["']?\s*:\s*["']?Forbid|\bsingle_?instance\b|\bleader_?elect\w*/i,
    still:
      /lock|overlap|onOneServer|DisallowConcurrent|Forbid|leader|singleton|semaphore|mutex|ON\s+CONFLICT|unique|idempoten/i,
  },
  {
    name: 'that it is asked before',
    done: /ShouldProcess|ConfirmImpact|-WhatIf\b|\bdry_?run\b|--dry-run|\bRead-Host\b|\bread\s+-r?p\b|\binquirer\b|\bclick\.confirm|\bconfirm\w{0,20}\s*[(!]|are you sure|\bask_?(?:human|user|first)\w*|\b(?:needs|requires|await)_?(?:approval|confirmation)\w*|second_?approver|four_?eyes|\bapprovals?\b|\binput\s{0,3}(?:message|\()|when:\s*manual\b/i,
    still:
      /confirm|ShouldProcess|WhatIf|dry_?run|dry-run|Read-Host|read\s+-|ask|approv|prompt|are you sure|review/i,
    matters: weighty,
  },
  {
    name: 'what has to be kept by law',
    done: /legal_?hold|litigation_?hold|object_?lock|retain_?until|retention_?(?:until|lock|period|days|policy)|\bunder_?investigation|\bpreserve_?evidence/i,
    still: /hold|retain|retention|preserve|object_?lock|archive/i,
    matters: weighty,
  },
  {
    name: 'which ones it is for',
    done: /\bWhere-Object\b|\.filter\(|\.where\(|\bWHERE\b|\bgrep\s+-v\b|\s-mtime\b|\.select\s*[{(]|\.reject\s*[{(]|\.is_?eligible\w*|\b\w{2,30}(?:Not|_not_|Due|Unpaid|Pending|Expired|Inactive|Stale|Eligible)[A-Z_a-z]\w{0,30}\(/,
    still:
      /Where-Object|filter|where|\bgrep\b|-mtime|select|reject|eligible|\bif\b|\bunless\b|\bcontinue\b|Due|due_|[Pp]ending|[Ee]xpired|[Uu]npaid|[Ii]nactive|limit|\bfind_?by/i,
    matters: weighty,
  },
  {
    name: 'who did what',
    done: /\b\w{0,20}(?:audit|Audit)\w{0,20}(?:\.|\(|::|->)\s*\w{0,20}|\b(?:record|log|write|track)_?(?:access|audit|admin|change|decision)\w{0,20}\s*\(|\bhas_paper_trail\b|\bactivity_?log\w*\(|@Audited\b|\bauditTrail\b/,
    still: /audit|record_?|log\w{0,20}[.(]|paper_trail|activity|history|journal|emit|publish/i,
  },
  {
    name: 'what others may not read',
    done: /\bredact\w*\s*[([:]|\bmask\w{0,20}\s*\(|\banonymi[sz]e\w*\s*\(|\bpseudonymi[sz]e\w*\s*\(|\bscrub\w*\s*\(|\bfilter_parameters\b|\bstrip_?(?:pii|exif|metadata)\w*|\b(?:last4|lastFour|last_four)\b|\bhash_?(?:email|user|id|ip)\w*\s*\(|\btokeni[sz]e_?(?:card|pan)\w*/i,
    still:
      /redact|mask|anonymi|pseudonymi|scrub|filter_param|strip|last_?4|last_?four|hash|tokeni|omit|pick|encrypt|allow_?list|delete\s|without/i,
  },
  {
    name: 'that an answer belongs to its question',
    done: /\bnonce\b|code_?verifier|code_?challenge|\bpkce\b|\bverify_?state\b|\boauth_?state\b|\bstate\s*!==?\s*\w|\bjti\b|\breplay\w*/i,
    still: /nonce|verifier|challenge|pkce|state|jti|replay/i,
  },
  {
    name: 'that somebody has agreed',
    done: /\bhas_?consent\w*|\bconsent(?:ed|_?given|s)?\b|\bopted?_?(?:in|out)\b|\bunsubscribed?\b|\bdo_?not_?(?:track|contact|call)\b|\bsuppression_?list\w*|\bis_?subscribed\b|\bwithdrawn_?consent\b/i,
    still: /consent|opt(?:ed)?_?(?:in|out)|subscri|suppress|do_?not|prefer|agree/i,
    matters:
      /send|mail|track|share|export|upload|push|notify|analy|call|publish|process|store|select|find|return/i,
  },
  {
    name: 'that somebody is screened',
    done: /\b\w{0,20}(?:kyc|sanctions?_?(?:screen|check|list)|screen_?(?:payee|customer|party|name)\w*|watch_?list|pep_?check|is_?adult|age_?(?:check|verif\w*)|min(?:imum)?_?age|allerg\w*|contraindic\w*|interaction_?check\w*|max_?(?:daily_?)?dose)\w{0,20}/i,
  },
  {
    name: 'that there is a copy',
    done: /\b(?:pg_dump|mysqldump|mongodump|restic|borg|velero\s+backup|create-(?:db-)?snapshot|backup_?(?:first|db|database|before)|take_?(?:snapshot|backup)|make_?backup|snapshot)\b/i,
    still: /dump|restic|borg|velero|snapshot|backup|copy|clone|export|replica/i,
    matters:
      /\b(?:drop|delete|truncate|rm\s+-|migrate|upgrade|restore|destroy|overwrite|wipe|purge|ALTER|mkfs)\b/i,
  },
  {
    name: 'that what is loaded is what was meant',
    done: /\bsha(?:256|512)sum\b|\bshasum\b|\bgpg\s+--verify\b|\bcosign\s+verify\b|\bminisign\b|--require-hashes|\bintegrity\s*=|\bchecksum\w*\s*[(:=!]|\bverify_?(?:checksum|hash|digest|release)\w*|\bFileHash\b/i,
    still: /sha\d+|gpg|cosign|minisign|hash|integrity|checksum|digest|verif|sigstore|attest/i,
  },
  {
    name: 'that it can be brought back',
    done: /\bsoft_?delet\w*|\bdeleted_?at\b\s*[:=]|\bmove_?to_?(?:trash|bin)\w*|\bsend2trash\b|\barchive[ds]?_?(?:at|before|first)\b|\btrash\(/i,
    still: /soft_?delet|deleted_?at|trash|archiv|recycle|undo|restore/i,
    matters: /\b\w{0,20}(?:delete|destroy|purge|remove|unlink|rm|wipe)\w{0,20}\s*[(\s]/i,
  },
  {
    name: 'that it is a person',
    done: /\bhuman_?in_?the_?loop\b|\bmanual_?(?:review|approval)\b|\bsend_?to_?(?:reviewer|review)\w*|\breview_?queue\b|\bescalate_?to\w*/i,
    still: /human|manual|review|escalat|approv/i,
  },
]

/** What is named only to be turned off. */
const turnedOff =
  /-{0,2}\b[\w-]{1,40}["']?\s{0,3}[:=]\s{0,3}\$?(?:false|False|off|0|no|nil|null|None)\b|--?no-[\w-]{1,40}|--yes\b|\b(?:skip|disable|bypass|without)_?\w{1,40}/g

/** Whether what was guarded is done still: something comes, or only a few lines go from among others. */
const stillWorks = (file: DiffFile): boolean =>
  changed(file, 'added').length > 0 ||
  (changed(file, 'removed').length <= 3 &&
    codeAfter(file).some(({ text }) => /\w\s{0,3}[(=]|\breturn\b|\w\s["'$-]/.test(text)))

/** A condition that held a change of rows back, and without which the statement is the same. */
const lostCondition = (file: DiffFile): Line | undefined => {
  const added = changed(file, 'added')
  const after = new Set(added.map(({ text }) => squeeze(text)))
  return changed(file, 'removed').find(line => {
    const { text } = line
    if (/\b(?:UPDATE|DELETE)\b[^\n]{0,400}\bAND\b/i.test(text))
      return [...text.matchAll(oneCondition)].some(([part]) => after.has(squeeze(text.replace(part, ''))))
    if (!/^\s*(?:AND|WHERE)\b/i.test(text) || added.some(({ text }) => /\b(?:AND|WHERE)\b/i.test(text)))
      return false
    const at = file.lines.indexOf(line)
    return file.lines
      .slice(Math.max(0, at - 10), at)
      .some(({ change, text }) => change !== 'removed' && /\bUPDATE\s+\S+|\bDELETE\s+FROM\b/i.test(text))
  })
}

const oneCondition =
  /\s+AND\s+[\w."]{1,60}\s*(?:=|<>|!=|<=?|>=?|IS|IN|LIKE)\s*(?:NOT\s+)?(?:\([^)\n]{0,100}\)|'[^'\n]{0,60}'|[^\s;"'`)]{1,60})/gi

/** How many copies or days are kept, all told. */
const keptIn = (text: string): number => {
  let sum = 0
  for (const [, value] of text.matchAll(
    /\b(?:keep|retain|retention|backup_?retention)[\w-]{0,30}["']?\s{0,3}[=:]?\s{0,3}["']?(\d{1,5})\b/gi,
  ))
    sum += Number(value)
  return sum
}

/** Backups of which a third or less is kept. */
const keepsFewer = (file: DiffFile): Line | undefined => {
  const isBackup = /backup|snapshot|restic|borg|prune|retention|wal|pitr/i
  const before = changed(file, 'removed').filter(({ text }) => keptIn(text) > 0)
  const after = changed(file, 'added').filter(({ text }) => keptIn(text) > 0)
  const sum = (lines: readonly Line[]) => lines.reduce((all, { text }) => all + keptIn(text), 0)
  const isOf = isBackup.test(file.name) || before.some(({ text }) => isBackup.test(text))
  return isOf && after.length > 0 && sum(after) * 3 <= sum(before) ? after[0] : undefined
}

/** The first removed line that did something of which nothing that comes does anything. */
const findLost = (
  file: DiffFile,
  { done, still = done, matters, aside }: Concern,
  whole: string,
): Line | undefined => {
  if (still.test(whole)) return undefined
  const line = changed(file, 'removed').find(
    ({ text }) =>
      done.test(text) &&
      !aside?.test(text) &&
      !/^\s*(?:import|from|use|using|require|#include|const\s+\w+\s*=\s*require)\b/.test(text),
  )
  if (!line) return undefined
  const after = codeAfter(file)
  return matters && !after.some(({ text }) => matters.test(text)) ? undefined : line
}

export const lostRules: readonly Rule[] = [
  wholeRule({
    id: 'code-protection-lost',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Keep it, or say in the change what does it now.',
    hits: [
      diff('r.py', '-    start = datetime(y, m, 1, tzinfo=TZ)', '+    start = datetime(y, m, 1)'),
      diff('Jenkinsfile', '-        input message: "Deploy to production?"', '         sh "make deploy"'),
      diff(
        'u.py',
        '-    subscriber.delete()',
        '+    subscriber.frequency = "daily"',
        '     return render("unsubscribed.html")',
      ),
      diff(
        'c.go',
        '-	http.SetCookie(w, &http.Cookie{Name: "sid", Secure: true, HttpOnly: true})',
        '+	http.SetCookie(w, &http.Cookie{Name: "sid"})',
      ),
      diff('pump.c', '-	if (dose > MAX_BOLUS) dose = MAX_BOLUS;', ' 	deliver(dose);'),
      diff('usb.c', '-	if (copy_from_user(&req, arg, sizeof(req)))', '+	req = *(struct req *)arg;'),
      diff('job.sh', '-backup || mail -s failed ops@example.org', '+backup >/dev/null || true'),
      diff(
        'prune.sh',
        '-restic forget --keep-daily 30 --keep-monthly 24',
        '+restic forget --keep-last 1 --prune',
      ),
      diff(
        'gone.rb',
        '-    user.destroy_all_data!',
        '+    user.update!(hidden: true)',
        '     render json: { deleted: true }',
      ),
      diff('view.py', '-    audit_log.write(user, "read", record.id)', '     return render(record)'),
      diff(
        'g.sql',
        '-UPDATE grades SET score = 1 WHERE id = :id AND locked = false;',
        '+UPDATE grades SET score = 1 WHERE id = :id;',
      ),
      diff('g.sql', ' UPDATE grades SET score = :s', '  WHERE id = :id', '-   AND locked = false'),
      diff(
        'login.ts',
        '-router.post("/login", limiter({ max: 5 }), captchaAfter(3), login)',
        '+router.post("/login", async (req, res) => {',
      ),
      diff(
        'Nightly.java',
        '-    @SchedulerLock(name = "nightly")',
        '     @Scheduled(cron = "0 0 4 * * *")',
        '+    @Async',
        '     void charge() {',
      ),
      diff(
        'clean.ps1',
        '-    ForEach-Object { if ($PSCmdlet.ShouldProcess($_)) { Disable-Mailbox $_ } }',
        '+    ForEach-Object { Remove-Mailbox $_ -Confirm:$false }',
      ),
      diff(
        'purge.py',
        '-    for case in cases.filter(legal_hold=False):',
        '+    for case in cases.all():',
        '         case.delete()',
      ),
      diff(
        'charge.ts',
        '-  for (const s of subs.findUnpaidFor(month)) {',
        '+  for (const s of subs.all()) {',
        '     gateway.charge(s)',
      ),
      diff(
        'Handler.cs',
        '-        await _audit.Write(cmd.UserId, cmd.Id);',
        '+        await _bus.Flush();',
        '         await _records.Save(cmd);',
      ),
      diff('log.py', '-    log.info("card %s", mask_pan(card))', '+    log.info("card %s", card)'),
      diff(
        'sso.rb',
        '-    raise "nonce" unless secure_compare(payload["nonce"], session[:nonce])',
        '+    sign_in user',
      ),
      diff(
        'mail.rb',
        '-    list.select(&:opted_in?).each { |c| send_mail(c) }',
        '+    list.each { |c| send_mail(c) }',
      ),
      diff('get.sh', '-echo "$SUM  tool.tgz" | sha256sum -c', '+tar xzf tool.tgz'),
      diff('notes.ts', '-  await db.update(id, { deleted_at: now() })', '+  await db.delete(id)'),
    ],
    misses: [
      diff(
        'u.py',
        '-    subscriber.delete()',
        '+    subscribers.unsubscribe(subscriber)',
        '     return render("unsubscribed.html")',
      ),
      diff(
        'r.py',
        '-    start = datetime(y, m, 1, tzinfo=TZ)',
        '+    start = datetime(y, m, 1).astimezone(zone)',
      ),
      diff('draw.ts', '-  const w = Math.max(MIN_WIDTH, el.clientWidth)', '+  const w = widthOf(el)'),
      diff(
        'pump.c',
        '-	if (dose > MAX_BOLUS) dose = MAX_BOLUS;',
        '+	dose = min(dose, MAX_BOLUS);',
        ' 	deliver(dose);',
      ),
      diff('prune.sh', '-restic forget --keep-daily 30', '+restic forget --keep-daily 21 --keep-weekly 8'),
      diff(
        'g.sql',
        '-UPDATE t SET a = 1 WHERE id = :id AND b = 1;',
        '+UPDATE t SET a = 1 WHERE id = :id AND b = 2;',
      ),
      diff(
        'login.ts',
        '-router.post("/login", memoryLimiter({ max: 5 }), login)',
        '+const perUser = redisLimiter({ max: 5 })',
        '+router.post("/login", perUser, login)',
      ),
      diff(
        'Nightly.java',
        '-    @SchedulerLock(name = "nightly")',
        '+    @DisallowConcurrentExecution',
        '     void charge() {',
      ),
      diff(
        'clean.ps1',
        '-    Disable-Mailbox $_',
        '+    if ($PSCmdlet.ShouldProcess($_)) { Disable-Mailbox $_ }',
      ),
      diff('list.ts', '-  return items.filter(i => i.visible)', '+  return items.toSorted(byName)'),
      diff(
        'Handler.cs',
        '-        await _audit.Write(cmd.UserId, cmd.Id);',
        '+        await _auditLog.Append(cmd);',
      ),
      diff(
        'log.py',
        '-    log.info("card %s", mask_pan(card))',
        '+    log.info("card ending in %s", card.last4)',
      ),
      diff('test/login.test.ts', '-  limiter({ max: 5 })', '+  login()'),
    ],
    see: ({ files }) => {
      const whole = files
        .flatMap(file => changed(file, 'added'))
        .map(({ text }) => text.replace(turnedOff, ''))
        .join('\n')
      return files.flatMap((file): Hit[] => {
        const removed = file.isDeleted ? [] : changed(file, 'removed')
        if (removed.length === 0 || !stillWorks(file)) return []
        const fewer = keepsFewer(file)
        if (fewer) return [{ detail: `Hardly any copies are kept: ${excerpt(fewer)}`, place: fewer.place }]
        const condition = lostCondition(file)
        if (condition)
          return [
            { detail: `It changes rows that were left alone: ${excerpt(condition)}`, place: condition.place },
          ]
        return concerns.flatMap((concern): Hit[] => {
          const line = findLost(file, concern, whole)
          return line
            ? [{ detail: `It no longer sees to ${concern.name}: ${excerpt(line)}`, place: line.place }]
            : []
        })
      })
    },
  }),
]
