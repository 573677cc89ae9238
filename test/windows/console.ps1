# Tests Ctrl-C and access rights, which Wine does not have. Run it in the project, after a build: pwsh test/windows/console.ps1
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

Add-Type -Namespace NodeCli -Name Console -MemberDefinition @'
[DllImport("kernel32.dll", SetLastError = true)] public static extern bool AttachConsole(uint processId);
[DllImport("kernel32.dll", SetLastError = true)] public static extern bool FreeConsole();
[DllImport("kernel32.dll", SetLastError = true)] public static extern bool SetConsoleCtrlHandler(IntPtr handler, bool add);
[DllImport("kernel32.dll", SetLastError = true)] public static extern bool GenerateConsoleCtrlEvent(uint control, uint group);
'@

$folder = (New-Item -ItemType Directory -Path (Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid()))).FullName
$output = Join-Path $folder 'output.txt'
$errors = Join-Path $folder 'errors.txt'

# Starts node-cli in a console of its own.
function Start-NodeCli([string[]] $words) {
  $node = Start-Process node -ArgumentList (@('bin/node-cli.js') + $words) -WindowStyle Hidden -PassThru `
    -RedirectStandardOutput $output -RedirectStandardError $errors
  # Without the handle, the exit code is lost.
  $null = $node.Handle
  return $node
}

# Write-Host reads the colours of the console, which this process leaves.
function Assert-True([bool] $condition, [string] $text) {
  if ($condition) { [Console]::Out.WriteLine("passed: $text"); return }
  [Console]::Out.WriteLine([string](Get-Content $output, $errors -Raw))
  throw "failed: $text"
}

function Wait-Exit($node) {
  if (-not $node.WaitForExit(60000)) { $node.Kill(); throw 'node-cli has not ended within 60 seconds' }
}

# Child processes inherit this setting. A parent may have disabled Ctrl-C.
$null = [NodeCli.Console]::SetConsoleCtrlHandler([IntPtr]::Zero, $false)

$state = Join-Path $folder 'state.json'
$node = Start-NodeCli @('start', '--port', '0', '--state', "`"$state`"")
$url = $null
for ($attempt = 0; $attempt -lt 600 -and $null -eq $url -and -not $node.HasExited; $attempt++) {
  $line = Select-String -Path $output -Pattern 'Listening on (http\S+)'
  if ($null -ne $line) { $url = $line.Matches[0].Groups[1].Value } else { Start-Sleep -Milliseconds 100 }
}
Assert-True ($null -ne $url) 'node-cli starts'
$mine = '{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}'
$null = Invoke-RestMethod $url -Method Post -ContentType 'application/json' -Body $mine

# Sends Ctrl-C to all processes of the node's console, and ignores it in this process.
$null = [NodeCli.Console]::FreeConsole()
$null = [NodeCli.Console]::SetConsoleCtrlHandler([IntPtr]::Zero, $true)
$isAttached = [NodeCli.Console]::AttachConsole([uint32] $node.Id)
$isSent = [NodeCli.Console]::GenerateConsoleCtrlEvent(0, 0)
Wait-Exit $node
$null = [NodeCli.Console]::FreeConsole()
Assert-True ($isAttached -and $isSent) 'the console of the node gets Ctrl-C'
Assert-True ($node.ExitCode -eq 0) 'Ctrl-C ends the node with exit code 0'
Assert-True ((Get-Content $output -Raw) -match 'Stopped') 'the node prints that it has stopped'
Assert-True ((Get-Item $state).Length -gt 0) 'the node saves its chain at Ctrl-C'

$closed = (New-Item -ItemType Directory -Path (Join-Path $folder 'closed')).FullName
# WD: create files; AD: create folders.
icacls $closed /deny "$([Security.Principal.WindowsIdentity]::GetCurrent().Name):(WD,AD)" | Out-Null
$node = Start-NodeCli @('start', '--port', '0', '--state', "`"$closed\state.json`"")
Wait-Exit $node
$message = Get-Content $errors -Raw
Assert-True ($node.ExitCode -eq 1) 'a folder without the right to create files is rejected at the start'
Assert-True ($message -match '--state: cannot write .*closed.state\.json') 'the message contains the option and the file'
icacls $closed /reset | Out-Null
Remove-Item $folder -Recurse -Force
