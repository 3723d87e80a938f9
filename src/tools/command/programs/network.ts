/** Programs that send and receive, and that work on other machines and containers. */
import { isGiven, valuesOf } from "./arguments.ts";
import type { Programs } from "./program.ts";

const effect = "uses the network";
const runs = "exec run create cp build buildx plugin context";

export const networkPrograms: Programs = {
  curl: {
    effect,
    runsOtherCode: "-K -E --config --cert --engine --libcurl --proto-default",
    writes: (words) => [
      ...valuesOf(
        `-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc`,
        words,
      ),
      ...(isGiven("-O -J --remote-name --remote-name-all --output-dir", words) ? ["."] : []),
    ],
    allowed: ["curl -s https://a.example"],
    asks: ["curl -o x https://a.example", "curl -O https://a.example/x", "curl -K x"],
  },
  wget: {
    effect,
    runsOtherCode: "-e -i --use-askpass --config --execute --input-file",
    writes: (words) => {
      const named = valuesOf("-O --output-document -o --output-file -a --append-output -P --directory-prefix", words);
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
  "ping dig nslookup host http https aria2c": { effect },
  "ssh nc ncat netcat telnet socat ftp sftp": { effect, runsOtherCode: "always", asks: ["ssh host ls"] },
  gh: {
    effect,
    options: "-R= --repo= --hostname= --help --version",
    runsOtherCode: "alias extension api codespace config",
    allowed: ["gh pr list"],
    asks: ["gh api x", "gh -R a/b alias set x y"],
  },
  glab: { effect, options: "-R= --repo= --help --version" },
  tcpdump: { runsOtherCode: "-z -w" },
  aws: {
    options: `--debug --endpoint-url= --no-verify-ssl --no-paginate --output= --query= --profile= --region= --version --color=
      --no-sign-request --ca-bundle= --cli-read-timeout= --cli-connect-timeout= --cli-binary-format= --no-cli-pager
      --cli-auto-prompt --no-cli-auto-prompt`,
  },
  "docker podman": {
    options: `--config= -c= --context= -D --debug -H= --host= -l= --log-level= --tls --tlscacert= --tlscert= --tlskey= --tlsverify
      -v --version --help`,
    harmlessOptions: "",
    runsOtherCode: runs,
    subcommands: {
      compose: {
        options:
          "--ansi= -f= --file= --env-file= -p= --project-name= --profile= --project-directory= --parallel= --progress=",
        harmlessOptions: "",
        runsOtherCode: runs,
      },
      container: { harmlessOptions: "", runsOtherCode: runs, hasSubcommands: true },
      "image volume network buildx": { hasSubcommands: true },
    },
    allowed: ["docker ps", "docker compose up -d"],
    asks: ["docker run -v /:/x alpine", "docker -H x ps", "docker compose exec a b", "docker --context x ps"],
  },
  kubectl: {
    options: `--as= --as-group= --as-uid= --cache-dir= --certificate-authority= --client-certificate= --client-key= --cluster=
      --context= --disable-compression --insecure-skip-tls-verify --kubeconfig= --log-flush-frequency= --match-server-version
      -n= --namespace= --password= --profile= --profile-output= --request-timeout= -s= --server= --tls-server-name= --token=
      --user= --username= -v= --v= --vmodule= --warnings-as-errors -h --help`,
    harmlessOptions: "",
    runsOtherCode: "exec run debug attach cp proxy plugin edit config",
    allowed: ["kubectl get pods"],
    asks: ["kubectl exec p -- ls", "kubectl -n x get pods"],
  },
  helm: {
    options:
      "--debug --kube-context= --kubeconfig= -n= --namespace= --kube-apiserver= --kube-token= --registry-config= -h --help",
  },
  terraform: { options: "-chdir= -help -version --help --version" },
  "vagrant ansible ansible-playbook devcontainer nix nix-shell": { effect: "runs other code", runsOtherCode: "always" },
};
