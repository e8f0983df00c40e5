import type { Command } from '../read/shell.ts'
import { commandRule, type Rule } from '../rule.ts'

const isTrial = ({ args }: Command): boolean => args.some(arg => /^-WhatIf(?!:\$false)/i.test(arg))

const isUnasked = ({ args }: Command): boolean => args.some(arg => /^-Confirm:\$false$|^-Force$/i.test(arg))

/** Accounts, machines and stores: what cannot be made anew from a file. */
const lasting =
  /^(?:AD\w+|Mg(?:User|Group|Device)|Msol\w+|AzureAD\w+|LocalUser|LocalGroup|Mailbox\w*|VM|VMSnapshot|VHD|Az[A-Z]\w+|EC2\w+|S3\w+|RDS\w+|DDB\w+|KMS\w+|Dns\w+|Dhcp\w+|Partition|Volume|Disk|PhysicalDisk|StoragePool|ClusterResource|ClusterNode|Sql\w+|Dba\w+|SPSite|SPOSite|Team|RecycleBin|WBBackup\w*|ComputerRestorePoint)$/
const fileLists = new WeakMap<readonly Command[], readonly string[]>()

/** What a script downloads into files without ever asking for their hash or signature; gathered once. */
const uncheckedFiles = (all: readonly Command[]): readonly string[] => {
  const known = fileLists.get(all)
  if (known) return known
  const isChecked = all.some(({ program }) => /^Get-(?:FileHash|AuthenticodeSignature)$/i.test(program))
  const files = isChecked
    ? []
    : all.flatMap(({ program, args }) =>
        /^(?:Invoke-WebRequest|iwr|Invoke-RestMethod|Start-BitsTransfer|curl|wget)$/i.test(program)
          ? args.filter((_, nth) => /^-(?:OutFile|Destination)$/i.test(args[nth - 1] ?? ''))
          : [],
      )
  fileLists.set(all, files.slice(0, 20))
  return files.slice(0, 20)
}

const guards =
  /(?:WinDefend|MpsSvc|Sense|wscsvc|EventLog|SecurityHealth\w*|CrowdStrike|CSFalcon\w*|SentinelAgent|W?azuh\w*|Sysmon\d*)/i

/** One object that is fetched by its name. */
const isNamed = ({ program, args }: Command): boolean =>
  /^Get-/i.test(program) &&
  !args.some(arg => /^-Filter$/i.test(arg)) &&
  args.some((arg, nth) =>
    nth === 0
      ? /^[\w.-]+$/.test(arg) && !arg.startsWith('-')
      : /^-(?:Name|Identity)$/i.test(args[nth - 1] ?? '') && !/[*?]/.test(arg),
  )

const seesBulk = (command: Command, verb: string, noun: string): string | undefined => {
  if (
    /^(?:Set-ADAccountPassword|Set-LocalUser|Stop-(?:VM|AzVM|EC2Instance)|Restart-(?:VM|AzVM|Computer))$/i.test(
      command.program,
    )
  )
    return command.feeders.length > 0 && !command.feeders.some(isNamed)
      ? `It runs ${command.program} on whatever is found.`
      : undefined
  if (
    !/^(?:Remove|Disable|Clear|Reset|Revoke|Uninstall|Suspend|Unregister|Dismount|Format|Initialize)$/i.test(
      verb,
    )
  )
    return undefined
  if (!lasting.test(noun)) return undefined
  if (/^(?:Remove|Clear|Format|Initialize)$/i.test(verb))
    return `It runs ${command.program}, which cannot be taken back.`
  return command.feeders.length > 0 || isUnasked(command)
    ? `It runs ${command.program} on whatever is found, unasked.`
    : undefined
}

/** Values of the registry that take protection away. */
const seesRegistry = (words: string): string | undefined => {
  const value = /(?:-Value|\/d)\s+(\S+)/i.exec(words)?.[1]
  const isOff =
    /\b(?:EnableLUA|ConsentPromptBehaviorAdmin|EnableFirewall|RunAsPPL|SMBServerNameHardeningLevel|RequireSecuritySignature)\b/i.test(
      words,
    ) && value === '0'
  const isOn =
    /\b(?:DisableAntiSpyware|DisableRealtimeMonitoring|DisableBehaviorMonitoring|UseLogonCredential|SMB1|AllowInsecureGuestAuth|DisableTaskMgr)\b/i.test(
      words,
    ) && value === '1'
  return isOff || isOn ? 'It turns a protection of the system off.' : undefined
}

const runs = ({ program, args }: Command, file: string): boolean =>
  file !== '' &&
  (program === file ||
    (/^(?:powershell|pwsh|Start-Process|msiexec|Invoke-Item|cmd)$/i.test(program) && args.includes(file)))

/** What PowerShell does to machines, accounts and protection. */
export const powershellRules: readonly Rule[] = [
  commandRule({
    id: 'powershell-danger',
    severity: 'high',
    fix: 'Try it with -WhatIf, name the one object, and leave the protection on.',
    hits: [
      'Get-ADUser -Filter * | Remove-ADUser -Confirm:$false',
      "Get-ADUser -Filter 'Enabled -eq $true' | Where-Object { $_.X -lt (Get-Date).AddDays(-9) } | Disable-ADAccount",
      'Remove-AzResourceGroup -Name prod -Force',
      'Set-NetFirewallProfile -Profile Domain,Public -Enabled False',
      "Add-MpPreference -ExclusionPath 'C:\\'",
      'Stop-Service -Name WinDefend -Force',
      'Clear-EventLog -LogName Security',
      "Add-ADGroupMember -Identity 'Domain Admins' -Members bob",
      'Clear-Disk -Number 1 -RemoveData',
      'pwsh -Command "Get-Mailbox | Remove-Mailbox -Confirm:$false"',
      'Get-ADUser -Filter * | ForEach-Object { Disable-ADAccount $_ }',
      'Get-ChildItem C:\\ -Recurse | Remove-Item -Force -Recurse',
      'Get-VM | Stop-VM -Force',
      'Get-ADUser -Filter * | Set-ADAccountPassword -Reset -NewPassword $p',
      'Get-Mailbox | Set-Mailbox -ForwardingSmtpAddress a@x.test',
      'Set-ItemProperty -Path HKLM:\\S -Name EnableLUA -Value 0',
      'Get-VM | ForEach-Object { Remove-VM $_ -Force }',
      'Invoke-WebRequest https://x.test/a.exe -OutFile $f\nif ($true) { & $f }',
    ],
    misses: [
      "Get-ADUser -Filter 'Enabled -eq $true' | Where-Object { $_.X -lt (Get-Date).AddDays(-9) } | Disable-ADAccount -WhatIf",
      'Get-ADUser -Filter * | Measure-Object',
      'Disable-ADAccount -Identity bob',
      'Set-NetFirewallProfile -Profile Public -Enabled True',
      'Get-Service WinDefend | Select-Object Status',
      'Restart-Service -Name Spooler',
      'Get-ChildItem .\\build -Recurse | Remove-Item -Recurse',
      'Set-ItemProperty -Path HKLM:\\S -Name EnableLUA -Value 1',
      'Get-VM -Name build-3 | Stop-VM',
      'Get-VM | Where-Object { $_.State -eq "Off" }',
      'Invoke-WebRequest https://x.test/a.ps1 -OutFile $f\nif ((Get-FileHash $f).Hash -ne $h) { throw }\n& $f',
    ],
    see(command, all) {
      const { program, args } = command
      const words = args.join(' ')
      const [, verb = '', noun = ''] = /^([A-Za-z]{2,20})-([A-Za-z]\w{1,60})$/.exec(program) ?? []
      if (uncheckedFiles(all).some(file => runs(command, file)))
        return 'It runs what it has just downloaded, unread.'
      if (verb === '' || isTrial(command)) return undefined
      const bulk = seesBulk(command, verb, noun)
      if (bulk) return bulk
      if (/^Set-NetFirewallProfile$/i.test(program))
        return /-Enabled:?\s?(?:\$?False|0)\b/i.test(words) && 'It turns the firewall off.'
      if (/^Disable-(?:NetFirewallRule|WindowsDefender\w*)$/i.test(program))
        return 'It turns the firewall off.'
      if (/^Add-MpPreference$/i.test(program))
        return (
          /-Exclusion\w+\s+(?:[A-Z]:\\?(?:\s|$)|\*|[A-Z]:\\(?:Users|Windows)\b)/i.test(words) &&
          'The virus scanner looks away.'
        )
      if (/^(?:Stop|Disable|Suspend|Set)-Service$/i.test(program))
        return (
          guards.test(words) &&
          (!/^Set/i.test(program) || /Disabled|Stopped/i.test(words)) &&
          'It stops what guards the machine.'
        )
      if (/^(?:Clear|Remove|Limit)-EventLog$/i.test(program)) return 'It empties a log.'
      if (
        /^Add-(?:ADGroupMember|LocalGroupMember|ADPrincipalGroupMembership|RoleGroupMember)$/i.test(program)
      )
        return (
          /\b(?:Domain Admins|Enterprise Admins|Schema Admins|Administrators|Organization Management)\b/i.test(
            words,
          ) && 'It makes somebody an administrator.'
        )
      if (/^(?:Set-Mailbox|New-InboxRule|Set-InboxRule|New-TransportRule)$/i.test(program))
        return (
          (/-(?:Forward\w*|Redirect\w*|BlindCopyTo)\s+\S+@/i.test(words) &&
            'Mail goes to somebody else as well.') ||
          (/-AuditEnabled:?\s?\$?false/i.test(words) && 'Nobody will see what happens.')
        )
      if (/^(?:Set|New)-ItemProperty$/i.test(program)) return seesRegistry(words)
      if (/^Remove-Item$/i.test(program))
        return (
          command.feeders.some(
            ({ program, args }) =>
              /^(?:Get-ChildItem|gci|dir|ls)$/i.test(program) &&
              args.some(arg =>
                /^(?:[A-Z]:[\\/]?|[A-Z]:[\\/](?:Users|Windows|Program\w*)[\\/]?|\/|~)$/i.test(arg),
              ),
          ) && 'It deletes what it finds on a drive.'
        )
      return undefined
    },
  }),
  commandRule({
    id: 'windows-rights',
    severity: 'high',
    fix: 'Give the one group the right that it needs, and leave protection on.',
    hits: [
      'icacls D:/Shares /grant Everyone:F /t',
      'icacls D:/Shares /grant "Authenticated Users:(OI)(CI)M"',
      'reg add HKLM/SOFTWARE/Policies/System /v EnableLUA /t REG_DWORD /d 0 /f',
    ],
    misses: [
      'icacls D:/Shares',
      'icacls D:/Shares /grant Backup:R',
      'reg add HKCU/Software/App /v Theme /d 1',
      'icacls D:/Shares /remove Everyone',
    ],
    see({ program, args }) {
      const words = args.join(' ')
      if (/^icacls$/i.test(program))
        return (
          /\/grant(?::r)?\s+(?:Everyone|Users|Authenticated Users|\*S-1-1-0):(?:\([A-Z]{1,3}\)){0,4}\(?[A-Z,]{0,12}[FMW]/i.test(
            words,
          ) && 'It lets everybody write.'
        )
      return /^reg$/i.test(program) && /^add\b/i.test(words) && seesRegistry(words)
    },
  }),
]
