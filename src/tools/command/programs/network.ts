/** Programs that send and receive, and that control other machines and containers. */
import { msg } from "../../../l10n/l10n.ts";
import { hasArgument, optionValues } from "./arguments.ts";
import type { Programs } from "./program.ts";

const effect = msg("uses the network");
const runs = "exec run create build buildx plugin attach";
const exceeds = "cp context";
// https://docs.docker.com/reference/cli/docker/compose (2.40): each option before the sub-command changes what is built
const compose = {
  options: "",
  runsOtherCode: runs,
  exceeds,
  readOptions: `--all-resources --ansi= --compatibility --dry-run --env-file= -f= --file= --parallel= --profile= --progress=
    --project-directory= -p= --project-name= --verbose`,
} as const;

const gcloudGroups = {
  options: `--account= --billing-project= --flatten= --format= --project= --quiet -q --verbosity= --version -v --help -h
    --impersonate-service-account= --log-http --trace-token= --user-output-enabled --no-user-output-enabled`,
  subcommands: {
    compute: { runsOtherCode: "ssh scp start-iap-tunnel config-ssh connect-to-serial-port" },
    workstations: { runsOtherCode: "ssh start-tcp-tunnel" },
  },
} as const;

export const networkPrograms: Programs = {
  curl: {
    effect,
    isSelfContained: true,
    changes: () => [],
    exceeds: "-K -E --config --cert --engine --libcurl --proto-default",
    writes: (words) => [
      ...optionValues(
        `-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc`,
        words,
      ),
      ...(hasArgument("-O -J --remote-name --remote-name-all --output-dir", words) ? ["."] : []),
    ],
    allowed: ["curl -s https://a.example"],
    asks: ["curl -o x https://a.example", "curl -O https://a.example/x", "curl -K x"],
  },
  wget: {
    effect,
    changes: () => [],
    runsOtherCode: "-e --use-askpass --config --execute",
    exceeds: "-i --input-file",
    writes: (words) => {
      const named = optionValues(
        "-O --output-document -o --output-file -a --append-output -P --directory-prefix",
        words,
      );
      return named.length > 0 ? named : ["."];
    },
    allowed: ["wget -O - https://a.example"],
    asks: ["wget https://a.example", "wget -e x=y https://a.example"],
  },
  scp: {
    effect,
    runsOtherCode: "-S -o -D -F",
    readsRecursively: "-r -R -a --recursive --archive",
    asks: ["scp -S ./x a b:"],
  },
  "ping dig nslookup host http https aria2c": { effect, isSelfContained: true },
  "ssh nc ncat netcat telnet socat ftp sftp": { effect, runsOtherCode: "always", asks: ["ssh host ls"] },
  // https://cli.github.com/manual/gh_help_reference; like each program made with cobra, it takes any option there
  gh: {
    effect,
    options: "-R= --repo= --hostname= --help --version",
    runsOtherCode: "alias extension extensions ext codespace cs copilot",
    exceeds: "api config",
    aliases: "list|ls create|new codespace|cs extension|extensions|ext",
    // Everything after `--` is for git.
    subcommands: { "repo gist": { runsOtherCode: (words) => words.includes("--") } },
    allowed: ["gh pr list", "gh -R a/b pr list", "gh repo clone a/b"],
    asks: [
      ...[
        "gh api x",
        "gh -R a/b alias set x y",
        "gh ext exec x",
        "gh cs ssh",
        "gh --method POST api x",
        "gh -- pr list",
      ],
      "gh repo clone a/b -- -c core.sshCommand=./x",
    ],
  },
  // https://docs.gitlab.com/cli/commands (1.116)
  glab: {
    effect,
    options: "-R= --repo= -h --help -v --version",
    runsOtherCode: "alias duo mcp",
    exceeds: "api config",
    aliases: "list|ls create|new",
    allowed: ["glab mr list", "glab -R a/b mr list"],
    asks: ["glab alias set x y --shell", "glab -R a/b api x", "glab --method POST api x"],
  },
  tcpdump: { runsOtherCode: "-z", exceeds: "-w" },
  // https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-options.html, and aws 1.45: data/cli.json
  aws: {
    options: `--debug --v2-debug --endpoint-url= --no-verify-ssl --no-paginate --output= --query= --profile= --region= --version
      --color= --no-sign-request --ca-bundle= --cli-read-timeout= --cli-connect-timeout= --cli-binary-format= --no-cli-pager
      --cli-auto-prompt --no-cli-auto-prompt`,
    exceeds: "configure",
    subcommands: {
      ssm: { runsOtherCode: "start-session send-command" },
      ecs: { runsOtherCode: "execute-command" },
      emr: { runsOtherCode: "ssh socks put get" },
      "ec2-instance-connect": { runsOtherCode: "ssh open-tunnel" },
    },
    allowed: ["aws --profile x s3 ls"],
    asks: ["aws --region x configure set a b", "aws --prof x configure", "aws --profile x ssm start-session"],
  },
  // https://cloud.google.com/sdk/gcloud/reference (528)
  gcloud: {
    ...gcloudGroups,
    runsOtherCode: "--flags-file cloud-shell interactive",
    exceeds: "components config docker init",
    skippedWords: "alpha beta preview",
    subcommands: { "alpha beta preview": gcloudGroups, ...gcloudGroups.subcommands },
    allowed: ["gcloud --project x compute instances list"],
    asks: ["gcloud --project x compute ssh y", "gcloud beta compute ssh y", "gcloud --unknown x config set a b"],
  },
  // docker 28.2 --help
  "docker podman": {
    runsStreams: true,
    options: "-v --version --help",
    runsOtherCode: runs,
    exceeds,
    readOptions:
      "-c= --context= --config= -D --debug -H= --host= -l= --log-level= --tls --tlscacert= --tlscert= --tlskey= --tlsverify",
    skippedWords: "container image",
    aliases: "rm|remove ls|list|ps",
    subcommands: {
      compose,
      container: { options: "", runsOtherCode: runs, exceeds },
      "image builder": { options: "", runsOtherCode: "build" },
      service: { options: "", exceeds: "create update" },
      "volume network buildx": { hasSubcommands: true },
    },
    allowed: ["docker ps", "docker compose up -d", "docker image ls"],
    asks: [
      ...["docker run -v /:/x alpine", "docker -H x ps", "docker compose exec a b", "docker --context x ps"],
      ...["docker image build .", "docker service create x", "docker compose --dry-run exec a b"],
    ],
  },
  "docker-compose": { ...compose, runsStreams: true, asks: ["docker-compose -f x up", "docker-compose run a b"] },
  // kubectl 1.32: options, --help
  kubectl: {
    options: "-h --help",
    // A kubeconfig names programs that log in.
    // kubectl 1.32: options, api-resources
    readOptions: `-n= --namespace= --context= --cluster= --user= --as= --as-group= --as-uid= --cache-dir= --certificate-authority=
      --client-certificate= --client-key= --disable-compression --insecure-skip-tls-verify --kubeconfig= --log-flush-frequency=
      --match-server-version --password= --profile= --profile-output= --request-timeout= -s= --server= --tls-server-name=
      --token= --username= -v= --v= --vmodule= --warnings-as-errors`,
    aliases: `pods|pod|po services|service|svc deployments|deployment|deploy namespaces|namespace|ns nodes|node|no
      configmaps|configmap|cm secrets|secret jobs|job cronjobs|cronjob|cj daemonsets|daemonset|ds
      statefulsets|statefulset|sts replicasets|replicaset|rs ingresses|ingress|ing persistentvolumes|persistentvolume|pv
      persistentvolumeclaims|persistentvolumeclaim|pvc serviceaccounts|serviceaccount|sa events|event|ev
      horizontalpodautoscalers|horizontalpodautoscaler|hpa networkpolicies|networkpolicy|netpol
      poddisruptionbudgets|poddisruptionbudget|pdb storageclasses|storageclass|sc resourcequotas|resourcequota|quota
      limitranges|limitrange|limits certificatesigningrequests|certificatesigningrequest|csr
      replicationcontrollers|replicationcontroller|rc priorityclasses|priorityclass|pc
      endpoints|ep customresourcedefinitions|customresourcedefinition|crd|crds`,
    runsOtherCode: "exec run debug attach plugin edit --kubeconfig --helm-command*",
    exceeds: "cp proxy config --profile-output* --output-directory*",
    allowed: ["kubectl get pods", "kubectl get pods -n x"],
    asks: ["kubectl exec p -- ls", "kubectl -n x get pods", "kubectl get pods --kubeconfig ./x"],
  },
  // https://helm.sh/docs/helm/helm_env (4.0): options inherited from parent commands
  helm: {
    options: `--burst-limit= --color= --colour= --content-cache= --debug --kube-apiserver= --kube-as-group= --kube-as-user=
      --kube-ca-file= --kube-context= --kube-insecure-skip-tls-verify --kube-tls-server-name= --kube-token= -n= --namespace=
      --qps= --registry-config= --repository-cache= --repository-config= -h --help`,
    runsOtherCode: "plugin --kubeconfig --post-renderer*",
    exceeds: "--output-dir*",
    // helm 4.0: aliases of commands
    aliases: "uninstall|un|del|delete list|ls dependency|dep|dependencies",
    allowed: ["helm list", "helm --kube-context x ls", "helm template x --output json"],
    asks: [
      ...["helm --qps 5 plugin install x", "helm --kubeconfig ./x ls", "helm --unknown x plugin install y"],
      ...["helm install a b --post-renderer ./x", "helm template a --output-dir=x"],
    ],
  },
  // terraform 1.11 -help; its options have one dash or two
  terraform: {
    options: "-help -version -v --help --version",
    runsOtherCode: "-plugin-dir* --plugin-dir*",
    exceeds: "console -chdir*",
    readOptions: "-chdir= --chdir=",
    allowed: ["terraform plan"],
    asks: ["terraform -chdir=x apply", "terraform init -plugin-dir=x", "terraform -unknown console"],
  },
  "vagrant ansible ansible-playbook devcontainer nix nix-shell": {
    effect: msg("runs other code"),
    runsOtherCode: "always",
  },
};
