# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_landed_global_optspecs
    string join \n h/help V/version
end

function __fish_kubectl_landed_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_landed_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_landed_using_subcommand
    set -l cmd (__fish_kubectl_landed_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "dump" -d 'Save what an answer needs from the cluster, redacted, for explain -f'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "record" -d 'Record every change from now on, for explain -f to look at the very moment'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "replay" -d 'Replay one component over a dump, and print all that it says'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "rbac" -d 'Print the least rights that suffice, as a ClusterRole'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "completion" -d 'Print a completion script for a shell, or kubectl\'s own helper'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "__complete" -d 'Print what could stand next on the command line'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "version" -d 'Print this program\'s version and the upstream versions that it replays'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -s o -l output -d 'Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l no-redact -d 'Keep every field: environment values, arguments, annotations, managedFields'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l include-logs -d 'Add Karpenter\'s log of the last 24 hours, where rights allow'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l max-size -d 'Most that the folder may hold: 500Mi, 2Gi' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l keep -d 'For how long changes are kept: 90m, 24h, 7d; 0 for as long as --max-size allows' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l no-redact -d 'Keep every field: environment values, arguments, annotations, managedFields'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and not __fish_seen_subcommand_from kube-scheduler" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and not __fish_seen_subcommand_from kube-scheduler" -f -a "kube-scheduler" -d 'What kube-scheduler says of each node for pending or bound pods'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l pods -d 'Pods, as NAMESPACE/NAME, separated by commas [default: all that are not of a DaemonSet and not finished]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s o -l output -d 'Output format' -r -f -a "json\t'JSON, in the shape of the referees in the conformance tests'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l user -d 'User to bind the role to' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l group -d 'Group to bind the role to' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l record -d 'Also what `record` needs: the right to watch'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l logs -d 'Also what `dump --include-logs` needs: the right to read the logs of pods'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand completion" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand __complete" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand version" -s h -l help -d 'Print help'
