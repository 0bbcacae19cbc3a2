
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
            [CompletionResult]::new('dump', 'dump', [CompletionResultType]::ParameterValue, 'Save what an answer needs from the cluster, redacted, for explain -f')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Record every change from now on, for explain -f to look at the very moment')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Replay one component over a dump, and print all that it says')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Print the least rights that suffice, as a ClusterRole')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell, or kubectl''s own helper')
            [CompletionResult]::new('__complete', '__complete', [CompletionResultType]::ParameterValue, 'Print what could stand next on the command line')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print this program''s version and the upstream versions that it replays')
            break
        }
        'kubectl-landed;dump' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Where to: FILE.json, FILE.tar.gz, FILE.tar.zst, a folder, or - for stdout')
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
            [CompletionResult]::new('--include-logs', '--include-logs', [CompletionResultType]::ParameterName, 'Add Karpenter''s log of the last 24 hours, where rights allow')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces; wins over -n')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Accept any certificate of the API server; insecure')
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
            [CompletionResult]::new('--preference-policy', '--preference-policy', [CompletionResultType]::ParameterName, 'Karpenter''s PREFERENCE_POLICY: Respect or Ignore')
            [CompletionResult]::new('--min-values-policy', '--min-values-policy', [CompletionResultType]::ParameterName, 'Karpenter''s MIN_VALUES_POLICY: Strict or BestEffort')
            [CompletionResult]::new('--scheduler-version', '--scheduler-version', [CompletionResultType]::ParameterName, 'Release of kube-scheduler to replay [default: as the input shows]')
            [CompletionResult]::new('--karpenter-version', '--karpenter-version', [CompletionResultType]::ParameterName, 'Release of Karpenter to replay [default: as the input shows]')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders given by -f with all that is below them')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
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
        'kubectl-landed;version' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
