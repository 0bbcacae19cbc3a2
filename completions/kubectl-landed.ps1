
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'kubectl-landed' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'kubectl-landed'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'kubectl-landed' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check manifests: what Karpenter and kube-scheduler will make of them')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Simulate workloads: which nodes Karpenter would launch, and where the pods would go')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Say why a pod landed where it did')
            [CompletionResult]::new('dump', 'dump', [CompletionResultType]::ParameterValue, 'Save what an answer needs from the cluster, redacted, for explain -f')
            [CompletionResult]::new('instance-types', 'instance-types', [CompletionResultType]::ParameterValue, 'List the instance types that each NodePool may launch, and why not the others')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Record every change from now on, for explain -f to look at the very moment')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Replay one component over a dump, and print all that it says')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of a kind of document')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Print the least rights that suffice, as a ClusterRole')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell, or kubectl''s own helper')
            [CompletionResult]::new('__complete', '__complete', [CompletionResultType]::ParameterValue, 'Print what could stand next on the command line')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Say what a message of Karpenter or kube-scheduler means, or a cause''s code')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print this program''s version and the upstream versions that it replays')
            break
        }
        'kubectl-landed;check' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output: table, json, yaml, github, sarif or junit')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output: table, json, yaml, github, sarif or junit')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Least severity that fails: error, warning, info or never [default: error, or as landed.yaml says]')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Findings to leave out because they were there before')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Save today''s findings as a baseline')
            [CompletionResult]::new('--preference-policy', '--preference-policy', [CompletionResultType]::ParameterName, 'Karpenter''s PREFERENCE_POLICY: Respect or Ignore')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Manifests: a file, a folder, or - for stdin; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Manifests: a file, a folder, or - for stdin; may be repeated')
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Cluster to lay the manifests over: a dump as explain -f takes it, or `live` for the running cluster; may be repeated')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Team''s decisions [default: landed.yaml where the command is run, if there is one]')
            [CompletionResult]::new('--karpenter-settings', '--karpenter-settings', [CompletionResultType]::ParameterName, 'Karpenter''s environment: a JSON object, lines of NAME=VALUE, or its Deployment')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'kube-scheduler''s configuration (KubeSchedulerConfiguration)')
            [CompletionResult]::new('--instance-types', '--instance-types', [CompletionResultType]::ParameterName, 'Instance types and offerings: the kwok provider''s JSON, or what the cloud''s command line prints; may be repeated')
            [CompletionResult]::new('--scheduler-version', '--scheduler-version', [CompletionResultType]::ParameterName, 'Release of kube-scheduler to replay [default: as the cluster shows]')
            [CompletionResult]::new('--karpenter-version', '--karpenter-version', [CompletionResultType]::ParameterName, 'Release of Karpenter to replay [default: as the cluster shows]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig to use')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name that the API server''s certificate must carry')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Certificate authority of the API server')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Same as --color=never')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Accept any certificate of the API server; insecure')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;simulate' {
            [CompletionResult]::new('--replicas', '--replicas', [CompletionResultType]::ParameterName, 'Pods of each workload, in place of what the manifests say')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output: table, json or yaml')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output: table, json or yaml')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Manifests: a file, a folder, or - for stdin; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Manifests: a file, a folder, or - for stdin; may be repeated')
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Cluster to lay the manifests over: a dump as explain -f takes it, or `live` for the running cluster; may be repeated')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Team''s decisions [default: landed.yaml where the command is run, if there is one]')
            [CompletionResult]::new('--karpenter-settings', '--karpenter-settings', [CompletionResultType]::ParameterName, 'Karpenter''s environment: a JSON object, lines of NAME=VALUE, or its Deployment')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'kube-scheduler''s configuration (KubeSchedulerConfiguration)')
            [CompletionResult]::new('--instance-types', '--instance-types', [CompletionResultType]::ParameterName, 'Instance types and offerings: the kwok provider''s JSON, or what the cloud''s command line prints; may be repeated')
            [CompletionResult]::new('--scheduler-version', '--scheduler-version', [CompletionResultType]::ParameterName, 'Release of kube-scheduler to replay [default: as the cluster shows]')
            [CompletionResult]::new('--karpenter-version', '--karpenter-version', [CompletionResultType]::ParameterName, 'Release of Karpenter to replay [default: as the cluster shows]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig to use')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name that the API server''s certificate must carry')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Certificate authority of the API server')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Same as --color=never')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Accept any certificate of the API server; insecure')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;explain' {
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Pods with these labels')
            [CompletionResult]::new('--selector', '--selector', [CompletionResultType]::ParameterName, 'Pods with these labels')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the answer')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the answer')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--karpenter-settings', '--karpenter-settings', [CompletionResultType]::ParameterName, 'Karpenter''s environment: a JSON object, lines of NAME=VALUE, or its Deployment')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'kube-scheduler''s configuration (KubeSchedulerConfiguration)')
            [CompletionResult]::new('--instance-types', '--instance-types', [CompletionResultType]::ParameterName, 'Instance types and offerings: the kwok provider''s JSON, or what the cloud''s command line prints; may be repeated')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated')
            [CompletionResult]::new('--unavailable', '--unavailable', [CompletionResultType]::ParameterName, 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'The cloud''s region, for prices [default: as the input shows]')
            [CompletionResult]::new('--preference-policy', '--preference-policy', [CompletionResultType]::ParameterName, 'Karpenter''s PREFERENCE_POLICY: Respect or Ignore')
            [CompletionResult]::new('--min-values-policy', '--min-values-policy', [CompletionResultType]::ParameterName, 'Karpenter''s MIN_VALUES_POLICY: Strict or BestEffort')
            [CompletionResult]::new('--scheduler-version', '--scheduler-version', [CompletionResultType]::ParameterName, 'Release of kube-scheduler to replay [default: as the input shows]')
            [CompletionResult]::new('--karpenter-version', '--karpenter-version', [CompletionResultType]::ParameterName, 'Release of Karpenter to replay [default: as the input shows]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig to use')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name that the API server''s certificate must carry')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Certificate authority of the API server')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'End with exit code 1 when a pod is not where it was meant to be')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Same as --color=never')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'List every node with its refusals or its scores')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print where the time went, on stderr')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Accept any certificate of the API server; insecure')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;dump' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Dump to redact or anonymise instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Dump to redact or anonymise instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig to use')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name that the API server''s certificate must carry')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Certificate authority of the API server')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep every field: environment values, arguments, annotations, managedFields')
            [CompletionResult]::new('--anonymise', '--anonymise', [CompletionResultType]::ParameterName, 'New names for everything that somebody chose; proved to change no verdict')
            [CompletionResult]::new('--include-logs', '--include-logs', [CompletionResultType]::ParameterName, 'Add Karpenter''s log of the last 24 hours, where rights allow')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Accept any certificate of the API server; insecure')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;instance-types' {
            [CompletionResult]::new('--nodepool', '--nodepool', [CompletionResultType]::ParameterName, 'Only this NodePool; may be repeated [default: all]')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'As the provider saw it at this moment, in the form of RFC 3339 [default: the last that the input knows]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--karpenter-settings', '--karpenter-settings', [CompletionResultType]::ParameterName, 'Karpenter''s environment: a JSON object, lines of NAME=VALUE, or its Deployment')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'kube-scheduler''s configuration (KubeSchedulerConfiguration)')
            [CompletionResult]::new('--instance-types', '--instance-types', [CompletionResultType]::ParameterName, 'Instance types and offerings: the kwok provider''s JSON, or what the cloud''s command line prints; may be repeated')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated')
            [CompletionResult]::new('--unavailable', '--unavailable', [CompletionResultType]::ParameterName, 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'The cloud''s region, for prices [default: as the input shows]')
            [CompletionResult]::new('--preference-policy', '--preference-policy', [CompletionResultType]::ParameterName, 'Karpenter''s PREFERENCE_POLICY: Respect or Ignore')
            [CompletionResult]::new('--min-values-policy', '--min-values-policy', [CompletionResultType]::ParameterName, 'Karpenter''s MIN_VALUES_POLICY: Strict or BestEffort')
            [CompletionResult]::new('--scheduler-version', '--scheduler-version', [CompletionResultType]::ParameterName, 'Release of kube-scheduler to replay [default: as the input shows]')
            [CompletionResult]::new('--karpenter-version', '--karpenter-version', [CompletionResultType]::ParameterName, 'Release of Karpenter to replay [default: as the input shows]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig to use')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name that the API server''s certificate must carry')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Certificate authority of the API server')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the answer')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the answer')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print where the time went, on stderr')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Accept any certificate of the API server; insecure')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Same as --color=never')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'List every node with its refusals or its scores')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;record' {
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Most that the folder may hold: 500Mi, 2Gi')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'For how long changes are kept: 90m, 24h, 7d; 0 for as long as --max-size allows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Namespace [default: the context''s, else default]')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Context of the kubeconfig to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster of the kubeconfig to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User of the kubeconfig to use')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'User to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; may be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name that the API server''s certificate must carry')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Certificate authority of the API server')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep every field: environment values, arguments, annotations, managedFields')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Accept any certificate of the API server; insecure')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;replay' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('kube-scheduler', 'kube-scheduler', [CompletionResultType]::ParameterValue, 'What kube-scheduler says of each node for pending or bound pods')
            [CompletionResult]::new('karpenter', 'karpenter', [CompletionResultType]::ParameterValue, 'What one provisioning pass of Karpenter comes to; every outcome where chance decides')
            break
        }
        'kubectl-landed;replay;kube-scheduler' {
            [CompletionResult]::new('--pods', '--pods', [CompletionResultType]::ParameterName, 'Pods, as NAMESPACE/NAME, separated by commas [default: all that are not of a DaemonSet and not finished]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--karpenter-settings', '--karpenter-settings', [CompletionResultType]::ParameterName, 'Karpenter''s environment: a JSON object, lines of NAME=VALUE, or its Deployment')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'kube-scheduler''s configuration (KubeSchedulerConfiguration)')
            [CompletionResult]::new('--instance-types', '--instance-types', [CompletionResultType]::ParameterName, 'Instance types and offerings: the kwok provider''s JSON, or what the cloud''s command line prints; may be repeated')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated')
            [CompletionResult]::new('--unavailable', '--unavailable', [CompletionResultType]::ParameterName, 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'The cloud''s region, for prices [default: as the input shows]')
            [CompletionResult]::new('--preference-policy', '--preference-policy', [CompletionResultType]::ParameterName, 'Karpenter''s PREFERENCE_POLICY: Respect or Ignore')
            [CompletionResult]::new('--min-values-policy', '--min-values-policy', [CompletionResultType]::ParameterName, 'Karpenter''s MIN_VALUES_POLICY: Strict or BestEffort')
            [CompletionResult]::new('--scheduler-version', '--scheduler-version', [CompletionResultType]::ParameterName, 'Release of kube-scheduler to replay [default: as the input shows]')
            [CompletionResult]::new('--karpenter-version', '--karpenter-version', [CompletionResultType]::ParameterName, 'Release of Karpenter to replay [default: as the input shows]')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print where the time went, on stderr')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;replay;karpenter' {
            [CompletionResult]::new('--unbind', '--unbind', [CompletionResultType]::ParameterName, 'Bound pods to make pending first, as NAMESPACE/NAME, separated by commas')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Dump to read instead of the cluster: a file, a folder, an archive, or - for stdin; may be repeated')
            [CompletionResult]::new('--karpenter-settings', '--karpenter-settings', [CompletionResultType]::ParameterName, 'Karpenter''s environment: a JSON object, lines of NAME=VALUE, or its Deployment')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'kube-scheduler''s configuration (KubeSchedulerConfiguration)')
            [CompletionResult]::new('--instance-types', '--instance-types', [CompletionResultType]::ParameterName, 'Instance types and offerings: the kwok provider''s JSON, or what the cloud''s command line prints; may be repeated')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Prices: what `aws pricing get-products` or `aws ec2 describe-spot-price-history` prints; may be repeated')
            [CompletionResult]::new('--unavailable', '--unavailable', [CompletionResultType]::ParameterName, 'Offering that could not be had, as TYPE/ZONE/CAPACITY-TYPE with * for any; may be repeated')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'The cloud''s region, for prices [default: as the input shows]')
            [CompletionResult]::new('--preference-policy', '--preference-policy', [CompletionResultType]::ParameterName, 'Karpenter''s PREFERENCE_POLICY: Respect or Ignore')
            [CompletionResult]::new('--min-values-policy', '--min-values-policy', [CompletionResultType]::ParameterName, 'Karpenter''s MIN_VALUES_POLICY: Strict or BestEffort')
            [CompletionResult]::new('--scheduler-version', '--scheduler-version', [CompletionResultType]::ParameterName, 'Release of kube-scheduler to replay [default: as the input shows]')
            [CompletionResult]::new('--karpenter-version', '--karpenter-version', [CompletionResultType]::ParameterName, 'Release of Karpenter to replay [default: as the input shows]')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print where the time went, on stderr')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-landed;schema' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-landed;rbac' {
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'User to bind the role to')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Group to bind the role to')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Also what `record` needs: the right to watch')
            [CompletionResult]::new('--logs', '--logs', [CompletionResultType]::ParameterName, 'Also what `dump --include-logs` needs: the right to read the logs of pods')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-landed;completion' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-landed;__complete' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-landed;why' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-landed;version' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
