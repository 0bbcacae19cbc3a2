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
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "explain" -d 'Say why a pod landed where it did'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "audit" -d 'Say how all pods landed, and which nodes were launched in vain'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "node" -d 'Say whom a node was launched for, where they went, and what becomes of it'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "nodeclaim" -d 'The same as node, by the name of the NodeClaim'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "compare" -d 'Say why two pods landed differently: only what differs'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "check" -d 'Check manifests: what Karpenter and kube-scheduler will make of them'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "simulate" -d 'Simulate workloads: which nodes Karpenter would launch, and where the pods would go'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "dump" -d 'Save what an answer needs from the cluster, redacted, for explain -f'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "record" -d 'Record every change from now on, for explain -f to look at the very moment'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "replay" -d 'Replay one component over a dump, and print all that it says'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "instance-types" -d 'List the instance types that each NodePool may launch, and why not the others'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "why" -d 'Say what a message of Karpenter or kube-scheduler means, or a cause\'s code'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "schema" -d 'Print the JSON Schema of a kind of document'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "rbac" -d 'Print the least rights that suffice, as a ClusterRole'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "completion" -d 'Print a completion script for a shell, or kubectl\'s own helper'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "__complete" -d 'Print what could stand next on the command line'
complete -c kubectl-landed -n "__fish_kubectl_landed_needs_command" -f -a "version" -d 'Print this program\'s version and the upstream versions that it replays'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s l -l selector -d 'Pods with these labels' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l want -d 'Find the smallest change that puts the pod there: NODE, zone=…, nodepool=…, instance-type=…, capacity-type=… or LABEL=VALUE' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s o -l output -d 'Form of the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''
markdown\t''
html\t''"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l exit-code -d 'End with exit code 1 when a pod is not where it was meant to be'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l nodes -d 'List every node with its refusals or its scores'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -s o -l output -d 'Form of the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''
markdown\t''
html\t''"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l exit-code -d 'End with exit code 1 when a pod is not where it was meant to be'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l nodes -d 'List every node with its refusals or its scores'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -s o -l output -d 'Form of the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''
markdown\t''
html\t''"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l nodes -d 'List every node with its refusals or its scores'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand node" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -s o -l output -d 'Form of the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''
markdown\t''
html\t''"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l nodes -d 'List every node with its refusals or its scores'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand nodeclaim" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -s o -l output -d 'Form of the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''
markdown\t''
html\t''"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l nodes -d 'List every node with its refusals or its scores'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -s o -l output -d 'Output: table, json, yaml, markdown, github, sarif or junit' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l fail-on -d 'Least severity that fails: error, warning, info or never [default: error, or as landed.yaml says]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l baseline -d 'Findings to leave out because they were there before' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l write-baseline -d 'Save today\'s findings as a baseline' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -s f -l filename -d 'Manifests: a file, a folder, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l against -d 'Cluster to lay the manifests over: a dump as explain -f takes it, or `live` for the running cluster; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l config -d 'Team\'s decisions [default: landed.yaml where the command is run, if there is one]' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the cluster shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l karpenter-version -d 'Release of Karpenter to replay [default: as the cluster shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l replicas -d 'Pods of each workload, in place of what the manifests say' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -s o -l output -d 'Output: table, json or yaml' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -s f -l filename -d 'Manifests: a file, a folder, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l against -d 'Cluster to lay the manifests over: a dump as explain -f takes it, or `live` for the running cluster; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l config -d 'Team\'s decisions [default: landed.yaml where the command is run, if there is one]' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the cluster shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l karpenter-version -d 'Release of Karpenter to replay [default: as the cluster shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -s o -l output -d 'Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -s f -l filename -d 'Dump to redact or anonymise instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
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
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand dump" -l anonymise -d 'New names for everything that somebody chose; proved to change no verdict'
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
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and not __fish_seen_subcommand_from kube-scheduler karpenter" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and not __fish_seen_subcommand_from kube-scheduler karpenter" -f -a "kube-scheduler" -d 'What kube-scheduler says of each node for pending or bound pods'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and not __fish_seen_subcommand_from kube-scheduler karpenter" -f -a "karpenter" -d 'What one provisioning pass of Karpenter comes to; every outcome where chance decides'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l pods -d 'Pods, as NAMESPACE/NAME, separated by commas [default: all that are not of a DaemonSet and not finished]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s o -l output -d 'Output format' -r -f -a "json\t'JSON, in the shape of the referees in the conformance tests'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from kube-scheduler" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l unbind -d 'Bound pods to make pending first, as NAMESPACE/NAME, separated by commas' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -s o -l output -d 'Output format' -r -f -a "json\t'JSON, in the shape of the referees in the conformance tests'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand replay; and __fish_seen_subcommand_from karpenter" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l nodepool -d 'Only this NodePool; may be repeated [default: all]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l at -d 'As the provider saw it at this moment, in the form of RFC 3339 [default: the last that the input knows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -s f -l filename -d 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l karpenter-settings -d 'Karpenter\'s environment: a JSON object, lines of NAME=VALUE, or its Deployment' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l scheduler-config -d 'kube-scheduler\'s configuration (KubeSchedulerConfiguration)' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l instance-types -d 'Instance types and offerings: the kwok provider\'s JSON, or what the cloud\'s command line prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l prices -d 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l unavailable -d 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l region -d 'The cloud\'s region, for prices [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l preference-policy -d 'Karpenter\'s PREFERENCE_POLICY: Respect or Ignore' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l min-values-policy -d 'Karpenter\'s MIN_VALUES_POLICY: Strict or BestEffort' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l scheduler-version -d 'Release of kube-scheduler to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l karpenter-version -d 'Release of Karpenter to replay [default: as the input shows]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l kubeconfig -d 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l as -d 'User to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l as-group -d 'Group to impersonate; may be repeated' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l request-timeout -d 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l tls-server-name -d 'Name that the API server\'s certificate must carry' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l certificate-authority -d 'Certificate authority of the API server' -r -F
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -s n -l namespace -d 'Namespace [default: the context\'s, else default]' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -s o -l output -d 'Form of the answer' -r -f -a "table\t''
wide\t''
json\t''
yaml\t''
name\t''
markdown\t''
html\t''"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l color -d 'When to use colour' -r -f -a "auto\t'When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise'
always\t'Always'
never\t'Never'"
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -s R -l recursive -d 'Read folders given by -f with all that is below them'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l timings -d 'Print where the time went, on stderr'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l insecure-skip-tls-verify -d 'Accept any certificate of the API server; insecure'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -s A -l all-namespaces -d 'All namespaces; wins over -n'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l no-color -d 'Same as --color=never'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -l nodes -d 'List every node with its refusals or its scores'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand instance-types" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand why" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand schema" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l user -d 'User to bind the role to' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l group -d 'Group to bind the role to' -r
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l record -d 'Also what `record` needs: the right to watch'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -l logs -d 'Also what `dump --include-logs` needs: the right to read the logs of pods'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand rbac" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand completion" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand __complete" -s h -l help -d 'Print help'
complete -c kubectl-landed -n "__fish_kubectl_landed_using_subcommand version" -s h -l help -d 'Print help'
