import { commandRule, type Rule } from '../rule.ts'
import { hasFlag, isDryRun, ownMachine, plainArgs } from './words.ts'

const protectedBranch =
  /^(?:\+|:)?(?:refs\/heads\/)?(?:HEAD:)?(?:main|master|prod(?:uction)?|release[\w./-]*|develop|stable|trunk)$/
const deletes =
  /^(?:delete|destroy|terminate|remove|purge|drop|deregister|rb|rm|erase|wipe|uninstall|unpublish|nuke|reset)(?:[-:][\w-]+)?$|^(?:batch-delete|schedule-key-deletion|apps:destroy|pg:reset|addons:destroy|delete-\w[\w-]*|terminate-\w[\w-]*)$/

/** Whether a right of everybody is taken back. */
const closesToPublic = (args: readonly string[]): boolean =>
  args.some(arg => /^(?:revoke-[\w-]+|remove-iam-policy-binding|revoke)$/.test(arg)) &&
  /\ball(?:Authenticated)?Users\b|0\.0\.0\.0\/0|::\/0/.test(args.join(' '))

/** A cluster on this machine, named on the command line itself. */
const localCluster =
  /(?:^|\s)--(?:kube-)?context[= ](?:kind-[\w-]+|k3d-[\w-]+|minikube|docker-desktop|rancher-desktop|orbstack|colima|microk8s)(?:\s|$)/

export const infraRules: readonly Rule[] = [
  commandRule({
    id: 'git-rewrite',
    severity: 'high',
    fix: 'Push a new commit, or use --force-with-lease on a branch of your own; stash or branch before discarding.',
    hits: [
      'git push --force origin main',
      'git push -f',
      'git push origin +master',
      'git push --mirror',
      'git reset --hard HEAD~3',
      'git clean -fdx',
      'git push origin --delete release/1',
      'git filter-branch --all',
      'git branch -D main',
      'git stash clear',
      'git checkout -- .',
      'git reflog expire --expire=now --all',
      'git push --force-with-lease origin main',
    ],
    misses: [
      'git push origin main',
      'git push --force-with-lease origin feat/x',
      'git clean -n',
      'git reset --soft HEAD~1',
      'git branch -d merged',
      'git checkout main',
      'git stash pop',
      'git commit -m "push --force"',
      'git reset HEAD file.txt',
      'git checkout -b x',
    ],
    see({ program, args }) {
      if (program !== 'git' && program !== 'hub') {
        return (program === 'git-filter-repo' || program === 'bfg') && 'It rewrites history.'
      }
      const words = args.filter((arg, nth) => !/^-[cC]$/.test(arg) && !/^-[cC]$/.test(args[nth - 1] ?? ''))
      const [verb = '', ...rest] = words
      const branch = rest.find(word => protectedBranch.test(word))
      if (verb === 'push' && !isDryRun(rest)) {
        const isForced = hasFlag(rest, 'f', 'force') || rest.some(word => /^\+\w/.test(word))
        if (rest.includes('--mirror')) return 'It makes the remote the same as this copy, deleting the rest.'
        if (rest.some(word => /^:\w/.test(word)) || hasFlag(rest, 'd', 'delete'))
          return {
            detail: `It deletes a branch of the remote${branch ? `: ${branch}` : ''}.`,
            severity: branch ? 'high' : 'medium',
          }
        if (isForced)
          return {
            detail: `It overwrites ${branch ?? 'a branch'} of the remote.`,
            severity: branch ? 'blocker' : 'high',
          }
        if (rest.some(word => word.startsWith('--force-with-lease')))
          return branch && { detail: `It overwrites ${branch} of the remote.`, severity: 'high' }
        return rest.includes('--no-verify') && { detail: 'It skips the hooks.', severity: 'medium' }
      }
      if (verb === 'reset' && rest.includes('--hard'))
        return { detail: 'It discards what is not committed.', severity: 'medium' }
      if (verb === 'clean' && hasFlag(rest, 'f', 'force') && !hasFlag(rest, 'n', 'dry-run'))
        return { detail: 'It deletes files that git does not know.', severity: 'medium' }
      if (/^(?:filter-branch|filter-repo)$/.test(verb)) return 'It rewrites history.'
      if (verb === 'branch' && (rest.includes('-D') || (hasFlag(rest, 'd') && hasFlag(rest, 'f', 'force'))))
        return { detail: 'It deletes a branch that may not be merged.', severity: branch ? 'high' : 'medium' }
      if (verb === 'stash' && /^(?:clear|drop)$/.test(rest[0] ?? ''))
        return { detail: 'It deletes stashed work.', severity: 'medium' }
      if (
        (verb === 'checkout' || verb === 'restore') &&
        (rest.includes('.') || rest.includes(':/')) &&
        !rest.includes('--staged')
      )
        return { detail: 'It discards what is not committed.', severity: 'medium' }
      if (
        (verb === 'reflog' && rest[0] === 'expire') ||
        (verb === 'gc' && rest.includes('--prune=now')) ||
        (verb === 'update-ref' && rest.includes('-d'))
      )
        return { detail: 'It deletes what could bring lost commits back.', severity: 'high' }
      return (
        verb === 'commit' &&
        (rest.includes('--no-verify') || rest.includes('-n')) && {
          detail: 'It skips the hooks.',
          severity: 'medium',
        }
      )
    },
  }),
  commandRule({
    id: 'kubernetes-delete',
    severity: 'high',
    fix: 'Name the object and its namespace, look at it with get first, and use --dry-run=server.',
    hits: [
      'kubectl delete namespace prod',
      'kubectl delete pods --all',
      'kubectl -n prod delete pvc data',
      'helm uninstall web',
      'kubectl delete deploy web',
      'kubectl scale deploy web --replicas=0',
      'kubectl drain node-1 --force',
      'oc delete project x',
      'kubectl delete -f .',
      'kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=bob',
      'kubectl delete crd x.example.org',
      'helm --namespace prod delete db',
      'kubectl replace --force -f x.yaml',
    ],
    misses: [
      'kubectl get pods',
      'kubectl delete pod x --dry-run=client',
      'kubectl apply -f deploy.yaml',
      'helm upgrade web ./chart',
      'kubectl scale deploy web --replicas=3',
      'kubectl rollout restart deploy/web',
      'kubectl delete pod web-7d9f',
      'helm list',
      'kubectl describe ns prod',
      'minikube delete',
      'kubectl --context kind-dev delete ns preview',
      'helm --kube-context=minikube uninstall web',
    ],
    see({ program, args }) {
      if (!/^(?:kubectl|oc|helm|k|k9s|eksctl|kops|flux|argocd)$/.test(program) || isDryRun(args)) return
      if (localCluster.test(args.join(' '))) return
      const words = plainArgs(
        args.filter((_, nth) => !/^(?:-n|--namespace|--context|--kubeconfig|-c)$/.test(args[nth - 1] ?? '')),
      )
      const [verb = '', kind = ''] = words
      if (program === 'helm')
        return /^(?:uninstall|delete|del|un)$/.test(verb) && `It removes the release ${words[1]}.`
      if (/^(?:eksctl|kops|flux|argocd)$/.test(program))
        return (
          words.slice(0, 2).some(word => /^(?:delete|uninstall)$/.test(word)) && {
            detail: `It deletes ${words[1]}.`,
            severity: 'blocker',
          }
        )
      if (verb === 'delete') {
        const what = kind.split('/')[0] ?? ''
        if (
          /^(?:ns|namespaces?|projects?|pvc?|persistentvolume(?:claim)?s?|nodes?|no|crds?|customresourcedefinitions?|clusters?|statefulsets?|sts|all)$/i.test(
            what,
          ) ||
          args.includes('--all') ||
          args.includes('-A') ||
          args.includes('--all-namespaces')
        )
          return { detail: `It deletes ${words.slice(1).join(' ') || 'everything'}.`, severity: 'blocker' }
        if (/^(?:pods?|po|jobs?|events?|ev|replicasets?|rs)$/i.test(what) && !args.includes('--force'))
          return { detail: `It deletes ${kind}, which is made anew.`, severity: 'low' }
        return `It deletes ${words.slice(1).join(' ') || 'what a file names'}.`
      }
      if (verb === 'drain' || verb === 'taint')
        return { detail: 'It moves everything off a node.', severity: 'medium' }
      if (
        verb === 'scale' &&
        args.some((arg, nth) => arg === '--replicas=0' || (arg === '--replicas' && args[nth + 1] === '0'))
      )
        return 'It stops every copy.'
      if (verb === 'replace' && args.includes('--force')) return 'It deletes the object and makes it anew.'
      return (
        /clusterrole=cluster-admin/.test(args.join(' ')) && {
          detail: 'It makes somebody an administrator of the cluster.',
          severity: 'blocker',
        }
      )
    },
  }),
  commandRule({
    id: 'infrastructure-destroy',
    severity: 'blocker',
    fix: 'Read the plan first and apply that very plan; keep state and backups.',
    hits: [
      'terraform destroy -auto-approve',
      'terraform apply -auto-approve',
      'terraform state rm aws_db_instance.main',
      'tofu destroy',
      'terragrunt run-all destroy',
      'pulumi destroy --yes',
      'cdk destroy --force',
      'terraform workspace delete prod',
      'terraform apply -destroy',
      'pulumi up --yes',
      'serverless remove',
      'vagrant destroy -f',
      'terraform plan -destroy -out=x.plan && terraform apply x.plan',
    ],
    misses: [
      'terraform plan',
      'terraform plan -destroy',
      'terraform apply plan.tfplan',
      'terraform fmt -recursive',
      'pulumi preview',
      'cdk diff',
      'terraform state list',
      'terraform validate',
      'terraform plan -destroy -out=x.plan; terraform show x.plan',
      'terraform plan -out=x.plan && terraform apply x.plan',
    ],
    see({ program, args }, all) {
      if (!/^(?:terraform|tofu|terragrunt|pulumi|cdk|serverless|sls|vagrant|sam|cdktf)$/.test(program)) return
      const words = plainArgs(args)
      if (words[0] === 'plan' || words[0] === 'preview') return
      if (words.some(word => word === 'destroy' || word === 'destroy-all') || args.includes('-destroy'))
        return 'It destroys what it made.'
      if (
        words[0] === 'apply' &&
        words[1] !== undefined &&
        all.some(
          other =>
            plainArgs(other.args)[0] === 'plan' &&
            other.args.some(arg => /^--?destroy$/.test(arg)) &&
            other.args.some(
              (arg, nth) =>
                arg === `-out=${words[1]}` || (arg === words[1] && other.args[nth - 1] === '-out'),
            ),
        )
      )
        return 'It destroys what it made.'
      if ((program === 'serverless' || program === 'sls') && words[0] === 'remove')
        return 'It destroys what it made.'
      if (program === 'sam' && words[0] === 'delete') return 'It destroys what it made.'
      if (words[0] === 'state' && /^(?:rm|push|replace-provider)$/.test(words[1] ?? ''))
        return { detail: 'It makes the state forget or change what exists.', severity: 'high' }
      if (words[0] === 'workspace' && words[1] === 'delete')
        return { detail: 'It deletes a state.', severity: 'high' }
      if (words[0] === 'force-unlock' || words[0] === 'taint')
        return { detail: `It runs ${words[0]}.`, severity: 'medium' }
      const unattended = args.some(arg =>
        /^--?auto-approve$|^--yes$|^-y$|^--require-approval=never$/.test(arg),
      )
      return (
        unattended &&
        /^(?:apply|up|deploy|run-all)$/.test(words[0] ?? '') &&
        !args.some(arg => /\.(?:tf)?plan$/.test(arg)) && {
          detail: 'It applies a plan that nobody read.',
          severity: 'high',
        }
      )
    },
  }),
  commandRule({
    id: 'cloud-delete',
    severity: 'blocker',
    fix: 'Describe the object first, take a snapshot, and use a dry run where there is one.',
    hits: [
      'aws s3 rb s3://b --force',
      'aws s3 rm s3://b --recursive',
      'aws ec2 terminate-instances --instance-ids i-1',
      'aws rds delete-db-instance --skip-final-snapshot',
      'gcloud projects delete p',
      'gsutil -m rm -r gs://b',
      'az group delete -n x --yes',
      'heroku pg:reset DATABASE --confirm x',
      'gh repo delete o/r --yes',
      'gh api -X DELETE repos/o/r/branches/main/protection',
      'aws kms schedule-key-deletion --key-id x',
      'doctl compute droplet delete 1',
      'npm unpublish x --force',
      'bq rm -r -f ds',
      'aws dynamodb delete-table --table-name t',
      'gcloud sql instances delete db',
      'az vm delete -n x',
      'flyctl apps destroy x',
      'vault kv metadata delete secret/x',
      'etcdctl del "" --prefix',
      'mc rb --force a/b',
    ],
    misses: [
      'aws s3 ls',
      'aws s3 cp a s3://b/a',
      'aws ec2 describe-instances',
      'aws s3 rm s3://b --recursive --dryrun',
      'gcloud projects list',
      'gsutil ls gs://b',
      'az group list',
      'gh repo view o/r',
      'heroku logs --tail',
      'aws sqs receive-message --queue-url u',
      'gh pr list',
      'npm install',
      'gcloud storage buckets remove-iam-policy-binding gs://b --member=allUsers --role=roles/storage.objectViewer',
    ],
    see({ program, args }) {
      if (isDryRun(args) || closesToPublic(args)) return
      const words = plainArgs(args)
      const [a = '', b = '', c = ''] = words
      if (
        !/^(?:aws|gcloud|gsutil|az|doctl|heroku|flyctl|fly|vercel|netlify|gh|npm|bq|ibmcloud|oci|linode-cli|hcloud|scw|s3cmd|mc|vault|etcdctl|consul|nomad|ceph|rados|openstack|wrangler|railway|render|supabase|firebase|velero|restic|borg)$/.test(
          program,
        )
      )
        return
      if (program === 'npm')
        return a === 'unpublish' && 'It takes a published package away from all who use it.'
      if (program === 'etcdctl')
        return (
          a === 'del' && {
            detail: `It deletes keys of the cluster.`,
            severity: args.some(arg => /^--(?:prefix|from-key)/.test(arg)) ? 'blocker' : 'high',
          }
        )
      if (program === 'aws' && a === 's3' && b === 'rm')
        return { detail: `It deletes ${c}.`, severity: args.includes('--recursive') ? 'blocker' : 'high' }
      if (program === 'aws' && a === 's3' && b === 'sync')
        return (
          args.includes('--delete') && {
            detail: 'It deletes in the bucket what the source does not have.',
            severity: 'high',
          }
        )
      if (program === 'gh' && a === 'api')
        return /(?:^|\s)(?:-X|--method)[ =]?DELETE\b/.test(args.join(' ')) && `It deletes ${b}.`
      if (program === 'gh')
        return (
          b === 'delete' && { detail: `It deletes a ${a}.`, severity: a === 'repo' ? 'blocker' : 'medium' }
        )
      if (
        program === 'vault' &&
        /^(?:secrets|auth|audit) disable|^operator (?:seal|step-down)|^lease revoke/.test(words.join(' '))
      )
        return `It runs vault ${words.slice(0, 2).join(' ')}.`
      const verb = words.slice(0, 4).find(word => deletes.test(word))
      if (verb === undefined || /^(?:pr|issue|log(?:s)?)$/.test(a)) return
      const isSmall =
        /cache|tag|alarm|message|log-stream|rule|comment|annotation/.test(verb) ||
        (program === 'gsutil' && !args.some(arg => /^-[a-z]*[rR]$/.test(arg)) && verb === 'rm')
      return {
        detail: `It runs ${verb} on ${words
          .filter(word => word !== verb)
          .slice(0, 3)
          .join(' ')}.`,
        severity: isSmall ? 'high' : 'blocker',
      }
    },
  }),
  commandRule({
    id: 'cloud-expose',
    severity: 'blocker',
    fix: 'Give one principal the rights that the task needs, and one network the port.',
    hits: [
      'aws ec2 authorize-security-group-ingress --group-id sg-1 --protocol tcp --port 22 --cidr 0.0.0.0/0',
      'aws s3api put-bucket-acl --bucket b --acl public-read',
      'aws iam attach-user-policy --user-name x --policy-arn arn:aws:iam::aws:policy/AdministratorAccess',
      'gcloud projects add-iam-policy-binding p --member=allUsers --role=roles/owner',
      'gsutil iam ch allUsers:objectViewer gs://b',
      'az role assignment create --role Owner --assignee x',
      'aws iam create-access-key --user-name root',
      'aws s3api delete-public-access-block --bucket b',
      'gh repo edit o/r --visibility public',
      'ngrok tcp 22',
      'ufw allow from any to any port 5432',
    ],
    misses: [
      'aws ec2 authorize-security-group-ingress --group-id sg-1 --protocol tcp --port 443 --cidr 10.0.0.0/8',
      'aws iam list-users',
      'gcloud iam service-accounts list',
      'gsutil iam get gs://b',
      'aws s3api get-bucket-acl --bucket b',
      'aws ec2 authorize-security-group-ingress --group-id sg-1 --protocol tcp --port 443 --cidr 0.0.0.0/0',
      'ufw allow 443/tcp',
      'aws ec2 revoke-security-group-ingress --group-id sg-1 --protocol tcp --port 22 --cidr 0.0.0.0/0',
      'gsutil iam ch -d allUsers:objectViewer gs://b',
    ],
    see({ program, args }, all) {
      if (closesToPublic(args) || (args[0] === 'iam' && args[1] === 'ch' && args[2] === '-d')) return
      const text = args.join(' ')
      if (/^(?:list|get|describe)/.test(plainArgs(args)[1] ?? '')) return
      if (
        /0\.0\.0\.0\/0|::\/0/.test(text) &&
        /^(?:aws|gcloud|az)$/.test(program) &&
        /ingress|firewall|nsg/.test(text)
      )
        return !/--port (?:443|80)\b|tcp:(?:443|80)\b/.test(text) && 'It opens a port to the whole internet.'
      if (
        /--acl[ =]public|public-read|delete-public-access-block|allUsers|allAuthenticatedUsers|--public-access (?:blob|container)|--allow-blob-public-access true/.test(
          text,
        ) &&
        /^(?:aws|gsutil|gcloud|az|mc)$/.test(program)
      )
        return 'It makes it public.'
      if (
        /AdministratorAccess|roles\/(?:owner|editor)|--role[ =]["']?Owner/i.test(text) &&
        /^(?:aws|gcloud|az)$/.test(program)
      )
        return 'It gives all rights.'
      if (
        program === 'aws' &&
        /iam (?:create-access-key|create-login-profile|update-assume-role-policy|put-user-policy)/.test(text)
      )
        return { detail: 'It makes a new way in.', severity: 'high' }
      if (program === 'gh')
        return (
          /visibility[ =]public/.test(text) && { detail: 'It makes a repository public.', severity: 'high' }
        )
      if (program === 'ngrok' || program === 'localtunnel' || program === 'bore')
        return { detail: 'It makes a port of this machine public.', severity: 'high' }
      return (
        program === 'ufw' &&
        // A firewall that is set up to deny the rest leaves its own way in open.
        (/allow (?:from any to any|3306|5432|6379|27017)(?!\d)/.test(text) ||
          (/allow 22(?!\d)/.test(text) &&
            !all.some(one => one.program === 'ufw' && /default deny|^enable/.test(one.args.join(' '))))) && {
          detail: 'It opens a port to the whole internet.',
          severity: 'high',
        }
      )
    },
  }),
  commandRule({
    id: 'container-danger',
    severity: 'high',
    fix: 'Run the container with the rights, mounts and volumes that it needs.',
    hits: [
      'docker system prune -af --volumes',
      'docker volume rm pgdata',
      'docker run --privileged x',
      'docker run -v /:/host x',
      'docker compose down -v',
      'docker run -v /var/run/docker.sock:/var/run/docker.sock x',
      'docker rm -f $(docker ps -aq)',
      'docker ps -aq | xargs docker rm -f',
      'docker run --pid=host --net=host x',
      'docker volume prune -f',
    ],
    misses: [
      'docker ps',
      'docker run --rm -v ./src:/src node:20 npm test',
      'docker compose down',
      'docker build -t x .',
      'docker image prune',
      'docker rm web',
      'docker compose up -d',
      'docker system df',
    ],
    see({ program, args, inner, feeders }) {
      if (!/^(?:docker|podman|docker-compose|nerdctl)$/.test(program)) return
      const text = args.join(' ')
      const words = plainArgs(args)
      if (words.includes('prune')) {
        if (words[0] === 'volume' || args.includes('--volumes'))
          return 'It deletes volumes, with the data in them.'
        return (
          words[0] === 'system' &&
          hasFlag(args, 'a', 'all') && {
            detail: 'It deletes all images and containers that do not run.',
            severity: 'medium',
          }
        )
      }
      if (words[0] === 'volume' && words[1] === 'rm') return 'It deletes a volume, with the data in it.'
      if (words.includes('down') && (hasFlag(args, 'v', 'volumes') || args.includes('--rmi')))
        return 'It deletes the volumes, with the data in them.'
      if (
        words[0] === 'rm' &&
        hasFlag(args, 'f', 'force') &&
        [...inner, ...feeders].some(({ program }) => /^(?:docker|podman)$/.test(program))
      )
        return 'It stops and deletes every container.'
      if (words[0] !== 'run' && words[0] !== 'create' && words[0] !== 'exec') return
      if (
        /--privileged(?:\s|=true|$)|--cap-add[ =](?:ALL|SYS_ADMIN)|--security-opt[ =](?:seccomp|apparmor)[=:]unconfined/i.test(
          text,
        )
      )
        return 'The container has the rights of the machine.'
      if (
        /(?:-v|--volume|source=|src=|type=bind,\w+=)[ =]?\/(?::|,|etc|root|var\/run\/docker\.sock|proc|sys|boot)/.test(
          text,
        ) ||
        /docker\.sock/.test(text)
      )
        return 'The container can change the machine.'
      return /--pid[ =]host|--ipc[ =]host|--userns[ =]host/.test(text) && 'The container sees the machine.'
    },
  }),
  commandRule({
    id: 'database-command',
    severity: 'blocker',
    fix: 'Take a backup, check the target with a read, and restore it once before relying on it.',
    hits: [
      'dropdb prod',
      'redis-cli FLUSHALL',
      'mongosh --eval "db.dropDatabase()"',
      'mysqladmin drop shop',
      'rails db:drop',
      'prisma migrate reset --force',
      'pg_restore --clean -d prod x.dump',
      'python manage.py flush --no-input',
      'npx prisma db push --accept-data-loss',
      'alembic downgrade base',
      'php artisan migrate:fresh',
      'flyway clean',
      'curl -X DELETE http://es:9200/_all',
      'kafka-topics.sh --delete --topic x',
      'kafka-consumer-groups --group a --all-topics --reset-offsets --to-latest --execute',
      'nats stream purge ORDERS -f',
      'pulsar-admin topics skip-all -s a persistent://t/n/x',
      'celery -A app purge -f',
      'bundle exec rake db:reset',
      'rabbitmqctl reset',
      'nodetool decommission',
      'mongo shop --eval "db.users.deleteMany({})"',
    ],
    misses: [
      'createdb test',
      'redis-cli GET x',
      'mongosh --eval "db.users.countDocuments()"',
      'rails db:migrate',
      'prisma migrate dev',
      'pg_dump prod > x.sql',
      'python manage.py migrate',
      'alembic upgrade head',
      'curl http://es:9200/_cat/indices',
      'redis-cli DEL cache:1',
      'php artisan migrate',
      'RAILS_ENV=test rails db:reset',
      "mongosh mongodb://127.0.0.1:27018/ --eval 'db.getMongo().getDBNames().filter(n => /^jest_/.test(n)).forEach(n => db.getSiblingDB(n).dropDatabase())'",
      'kafka-consumer-groups.sh --group a --topic b --reset-offsets --to-latest --dry-run',
      'kafka-consumer-groups.sh --group a --describe',
    ],
    see({ program, args, assignments }) {
      const text = args.join(' ')
      const isTest =
        assignments.some(({ value }) => /^(?:test|development|dev|ci)$/.test(value)) ||
        /--database[ =]test|_test\b|--env[ =]test/.test(text)
      // A database of tests, by its name, on this machine.
      if (ownMachine.test(text) && /(?:^|[^a-z])(?:jest|vitest|pytest|test|e2e|cypress|ci)_/.test(text))
        return
      const task =
        /^(?:rails|rake|bundle|npx|pnpm|yarn|npm|python[\d.]*|php|mix|sequelize|prisma|alembic|flask|flyway|liquibase|knex|typeorm|django-admin|artisan|drizzle-kit|diesel|sqlx|dbmate|goose|migrate)$/.test(
          program,
        )
          ? text
          : ''
      if (
        /\bdb:(?:drop|reset|purge|migrate:undo:all)\b|migrate:(?:fresh|reset)\b|migrate\s+reset\b|--accept-data-loss|\b(?:flush|reset_db)\b|downgrade base|\bdropAll\b|drop-all|ecto\.(?:drop|reset)|schema:drop|migrate:rollback --all|database (?:drop|reset)/.test(
          task,
        ) ||
        (program === 'flyway' && args.includes('clean'))
      )
        return { detail: 'It empties the database.', severity: isTest ? 'low' : 'blocker' }
      if (program === 'dropdb' || (program === 'mysqladmin' && args.includes('drop')))
        return { detail: 'It deletes a database.', severity: isTest ? 'low' : 'blocker' }
      if (program === 'dropuser') return { detail: 'It deletes a user.', severity: 'high' }
      if (program === 'redis-cli' || program === 'valkey-cli')
        return (
          /\b(?:flushall|flushdb|shutdown|debug|config set|script kill)\b/i.test(text) &&
          'It empties or stops the store.'
        )
      if (/^mongo(?:sh)?$/.test(program))
        return (
          /dropDatabase|\.drop\(|deleteMany\(\s*\{\s*\}|remove\(\s*\{\s*\}|dropUser|shutdownServer/.test(
            text,
          ) && 'It deletes all of a collection or database.'
        )
      if (program === 'pg_restore')
        return (
          hasFlag(args, 'c', 'clean') && {
            detail: 'It drops what is there before it restores.',
            severity: 'high',
          }
        )
      if (program === 'mongorestore')
        return (
          args.includes('--drop') && {
            detail: 'It drops what is there before it restores.',
            severity: 'high',
          }
        )
      if (/^kafka-(?:topics|delete-records)/.test(program))
        return args.includes('--delete') && 'It deletes a topic.'
      if (/^kafka-consumer-groups(?:\.sh)?$/.test(program))
        return (
          ((args.includes('--reset-offsets') && args.includes('--execute')) || args.includes('--delete')) &&
          !args.includes('--dry-run') && {
            detail: 'Messages are skipped, or handled once more.',
            severity: 'high',
          }
        )
      if (
        (program === 'nats' && /^(?:stream|consumer|kv) (?:purge|rm|del)\b/.test(text)) ||
        (program === 'pulsar-admin' && /\b(?:skip-all|clear-backlog|delete)\b/.test(text)) ||
        (program === 'celery' && args.includes('purge')) ||
        (program === 'rabbitmqadmin' && /^(?:purge|delete)\b/.test(text)) ||
        (program === 'rpk' && /^(?:topic delete|group (?:seek|delete))/.test(text))
      )
        return { detail: 'Messages that wait are thrown away.', severity: 'high' }
      if (program === 'rabbitmqctl')
        return (
          /^(?:reset|force_reset|delete_queue|purge_queue|delete_vhost|stop_app)$/.test(args[0] ?? '') && {
            detail: 'It empties the broker.',
            severity: 'high',
          }
        )
      if (program === 'nodetool')
        return (
          /^(?:decommission|removenode|clearsnapshot)$/.test(args[0] ?? '') && {
            detail: 'It takes a node or its snapshots away.',
            severity: 'high',
          }
        )
      if (program !== 'curl' && program !== 'http') return
      const isDelete = /(?:-X|--request)[ =]?DELETE|^DELETE /.test(text)
      return (
        isDelete && {
          detail: 'It deletes over HTTP.',
          severity: /:9200\/(?:_all|\*|[\w-]+\*?(?:\s|$))/.test(text) ? 'blocker' : 'high',
        }
      )
    },
  }),
]
