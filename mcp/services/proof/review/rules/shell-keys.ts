import { commandRule, type Rule } from '../rule.ts'
import { plainArgs, writesTo } from './words.ts'

const keyFile =
  /\.key$|(?:^|[/_.-])(?:id_(?:rsa|dsa|ecdsa|ed25519)|priv(?:ate)?_?key|privkey)(?:\.\w{1,8})?$/i
const webRoot =
  /^(?:\/var\/www|\/srv\/(?:www|http)|\/usr\/share\/nginx|\.{0,2}\/?(?:public|public_html|htdocs|webroot|static))\//

const letsOthersRead = (mode: string): boolean =>
  /^[0-7]?[0-7]{2}[4-7]$/.test(mode) || /^[augo]{0,3}[ao][ugoa]{0,3}[+=][wxX]{0,2}r|^\+r/.test(mode)

/** Keys that are weak, or that others can read; archives that write where they like. */
export const keyRules: readonly Rule[] = [
  commandRule({
    id: 'shell-weak-key',
    severity: 'high',
    fix: 'Make a key of 3072 bits or ed25519, sign with SHA-256, and keep the key readable by its owner alone.',
    hits: [
      'openssl req -x509 -newkey rsa:1024 -keyout a.key -out a.crt',
      'openssl genrsa -out a.key 512',
      'openssl x509 -req -md5 -in a.csr -out a.crt',
      'ssh-keygen -t dsa -f id_dsa',
      'ssh-keygen -t rsa -b 1024 -f k',
      'openssl enc -des-ecb -in a -out b',
      'openssl req -newkey rsa:4096 -keyout /var/www/html/a.key -out a.csr',
      'cp server.key /var/www/html/',
      'chmod 644 /etc/ssl/private/server.key',
      'chmod a+r ~/.ssh/id_ed25519',
    ],
    misses: [
      'openssl req -x509 -newkey rsa:4096 -sha256 -keyout a.key -out a.crt',
      'openssl genrsa -out a.key 3072',
      'openssl md5 file.iso',
      'ssh-keygen -t ed25519 -f id_ed25519',
      'ssh-keygen -t rsa -b 4096',
      'chmod 600 server.key',
      'chmod 640 server.key',
      'chmod 644 id_ed25519.pub',
      'cp server.crt /var/www/html/',
      'cp app.js /var/www/html/',
    ],
    see(command) {
      const { program, args } = command
      const words = args.join(' ')
      if (program === 'openssl') {
        if (
          /\brsa(?:_keygen_bits)?:(?:512|768|1024)\b|^genrsa\b.*\s(?:512|768|1024)$|^(?:gendsa|dsaparam)\b/.test(
            words,
          )
        )
          return 'The key is short enough to be broken.'
        if (/^(?:req|x509|ca|dgst -sign)\b.*\s-(?:md[245]|sha1)(?:\s|$)/.test(words))
          return 'The signature can be forged.'
        if (/^enc\b.*\s-(?:des(?!3|-ede3)|rc[245]|bf)[\w-]{0,10}(?:\s|$)|-aes-\d{3}-ecb/.test(words))
          return 'The cipher can be broken.'
        const key = args.find((_, nth) => args[nth - 1] === '-keyout')
        return key !== undefined && webRoot.test(key) && 'The private key lies where everybody can fetch it.'
      }
      if (program === 'ssh-keygen')
        return /-t\s?dsa\b|-b\s?(?:512|768|1024)\b/.test(words) && 'The key is short enough to be broken.'
      const [first = '', ...rest] = plainArgs(args)
      if (program === 'chmod')
        return (
          letsOthersRead(first) &&
          rest.some(path => keyFile.test(path) && !path.endsWith('.pub')) &&
          'Others can read a private key.'
        )
      return (
        /^(?:cp|mv|install|ln)$/.test(program) &&
        writesTo(command).some(path => webRoot.test(path)) &&
        plainArgs(args)
          .slice(0, -1)
          .some(path => keyFile.test(path)) &&
        'The private key lies where everybody can fetch it.'
      )
    },
  }),
  commandRule({
    id: 'shell-unpack-over',
    severity: 'high',
    fix: 'Unpack into an empty directory, look at the list of files first, and move what is needed.',
    hits: [
      'curl -s https://x.test/a.tgz | sudo tar xzPf - -C / --overwrite',
      'tar --extract --file=theme.tar --directory=/',
      'wget -qO- https://x.test/a.tar | tar -xP',
      'unzip -o pack.zip -d /etc',
      'cd / && cpio -idu --absolute-filenames < a.cpio',
    ],
    misses: [
      'tar -C /usr/local -xzf go1.22.linux-amd64.tar.gz',
      'curl -s https://x.test/a.tgz | tar xz -C ./vendor',
      'tar tzf a.tgz',
      'tar czPf backup.tgz /etc',
      'unzip pack.zip -d build',
    ],
    see({ program, args, place }) {
      // The layers of an image begin empty.
      if (/Dockerfile|Containerfile/.test(place.file ?? '')) return undefined
      const words = args.join(' ')
      const isOver = (path: string | undefined) =>
        path !== undefined && /^\/(?:(?:etc|boot|bin|sbin|lib|usr|usr\/bin|usr\/lib)\/?)?$/.test(path)
      if (/^(?:bsd|g)?tar$/.test(program)) {
        const isExtract =
          args.some((arg, nth) =>
            nth === 0 ? /^-?[A-Za-z]*x/.test(arg) : /^-[A-Za-z]*x/.test(arg) && !arg.startsWith('--'),
          ) || /(?:^|\s)--(?:extract|get)\b/.test(words)
        if (!isExtract) return undefined
        const target = /(?:^|\s)(?:-C\s?|--directory[= ])(\S+)/.exec(words)?.[1]
        if (isOver(target)) return `It writes over the system at ${target}.`
        const isAbsolute =
          args.some((arg, nth) =>
            nth === 0 ? /^-?[a-zA-Z]*P[a-zA-Z]*$/.test(arg) : /^-[a-zA-Z]*P[a-zA-Z]*$/.test(arg),
          ) || /--absolute-names/.test(words)
        return isAbsolute && 'The archive says where it writes.'
      }
      if (program === 'unzip' || program === '7z') {
        const target = /(?:^|\s)(?:-d\s?|-o)(\/\S*)/.exec(words)?.[1]
        return isOver(target) && `It writes over the system at ${target}.`
      }
      return (
        program === 'cpio' &&
        /-[a-z]*i/.test(words) &&
        /--absolute-filenames/.test(words) &&
        'The archive says where it writes.'
      )
    },
  }),
]
