/** Containers, clusters and what runs in them. */
import type { Program } from "./program.ts";

const runs = "exec run create cp build buildx plugin context";

export const containerPrograms: readonly Program[] = [
  {
    names: "docker podman",
    options: `--config= -c= --context= -D --debug -H= --host= -l= --log-level= --tls --tlscacert= --tlscert= --tlskey= --tlsverify
      -v --version --help`,
    harmlessOptions: "",
    runsOtherCode: runs,
    subcommands: [
      {
        names: "compose",
        options:
          "--ansi= -f= --file= --env-file= -p= --project-name= --profile= --project-directory= --parallel= --progress=",
        harmlessOptions: "",
        runsOtherCode: runs,
        hasSubcommands: true,
      },
      { names: "container", harmlessOptions: "", runsOtherCode: runs, hasSubcommands: true },
      { names: "image volume network buildx", hasSubcommands: true },
    ],
    allowed: ["docker ps", "docker compose up -d"],
    asks: ["docker run -v /:/x alpine", "docker -H x ps", "docker compose exec a b", "docker --context x ps"],
  },
  {
    names: "kubectl",
    options: `--as= --as-group= --as-uid= --cache-dir= --certificate-authority= --client-certificate= --client-key= --cluster=
      --context= --disable-compression --insecure-skip-tls-verify --kubeconfig= --log-flush-frequency= --match-server-version
      -n= --namespace= --password= --profile= --profile-output= --request-timeout= -s= --server= --tls-server-name= --token=
      --user= --username= -v= --v= --vmodule= --warnings-as-errors -h --help`,
    harmlessOptions: "",
    hasSubcommands: true,
    runsOtherCode: "exec run debug attach cp proxy plugin edit config",
    allowed: ["kubectl get pods"],
    asks: ["kubectl exec p -- ls", "kubectl -n x get pods"],
  },
  {
    names: "helm",
    options:
      "--debug --kube-context= --kubeconfig= -n= --namespace= --kube-apiserver= --kube-token= --registry-config= -h --help",
    hasSubcommands: true,
  },
  { names: "terraform", options: "-chdir= -help -version --help --version", hasSubcommands: true },
  {
    names: "vagrant ansible ansible-playbook devcontainer nix nix-shell",
    effect: "runs other code",
    runsOtherCode: "always",
  },
];
