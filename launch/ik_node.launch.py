# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Start ik_node with a robot, a parameter file or both.

Examples
--------
A robot, then a parameter file of one's own, then a robot with the chain to solve for::

    ros2 launch ik_node ik_node.launch.py robot_description_file:=/path/to/robot.urdf
    ros2 launch ik_node ik_node.launch.py params_file:=/path/to/ik_node.yaml
    ros2 launch ik_node ik_node.launch.py robot_description_file:=... base:=torso tip:=hand

"""
import json

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and the node that uses them."""
    return LaunchDescription([
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of the node, its services and its topics.'),
        DeclareLaunchArgument(
            'params_file',
            default_value=PathJoinSubstitution(
                [FindPackageShare('ik_node'), 'config', 'ik_node.yaml']),
            description='Parameter file. The arguments below go over its values.'),
        DeclareLaunchArgument(
            'robot_description_file', default_value='',
            description='Path of a URDF or xacro file. Empty: what params_file says.'),
        DeclareLaunchArgument(
            'robot_description', default_value='',
            description='URDF text, used instead of a file. Empty: what params_file says.'),
        DeclareLaunchArgument(
            'base', default_value='',
            description='Link that poses are given in. Empty: what params_file says.'),
        DeclareLaunchArgument(
            'tip', default_value='',
            description='Link to be placed. Empty: what params_file says.'),
        DeclareLaunchArgument(
            'publish_joint_states', default_value='', choices=['', 'true', 'false'],
            description='Whether the node publishes joint_states. Empty: what params_file says.'),
        DeclareLaunchArgument(
            'log_level', default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='Least severe log messages to show.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='', choices=['', 'true', 'false'],
            description='Whether time comes from the topic clock. Empty: what params_file says.'),
        OpaqueFunction(function=create_node),
    ])


def create_node(context: LaunchContext) -> list[Node]:
    """Return the node. A value further down replaces one of the same name further up."""
    return [Node(
        package='ik_node',
        executable='ik_node',
        name='ik_node',
        namespace=LaunchConfiguration('namespace'),
        ros_arguments=[
            '--log-level', LaunchConfiguration('log_level'),
            *params_file_arguments(context),
            *name_arguments(context),
        ],
        parameters=[typed_parameters(context)],
        output='screen',
        emulate_tty=True,
    )]


def params_file_arguments(context: LaunchContext) -> list[str]:
    """Return the parameter file as ROS arguments, so that a missing one stops the node."""
    path = LaunchConfiguration('params_file').perform(context)
    return ['--params-file', path] if path else []


def name_arguments(context: LaunchContext) -> list[str]:
    """
    Return the links and the path as ROS arguments, in quotes, and none for an empty one.

    launch_ros writes a string without quotes where PyYAML would read it back as a string. The
    ROS parser then reads a link called 'y' as a bool and '1e3' as a number.
    """
    arguments = []
    for name in ('robot_description_file', 'base', 'tip'):
        value = LaunchConfiguration(name).perform(context)
        if value:
            arguments += ['-p', f'{name}:={json.dumps(value, ensure_ascii=False)}']
    return arguments


def typed_parameters(context: LaunchContext) -> dict[str, ParameterValue]:
    """
    Return the parameters that launch_ros writes to a file of its own.

    A URDF can be too long for a command line. Without its type, launch would read it as YAML
    and stop at a ': ' or a '#' in a comment. An empty one would hide the parameter file's value.
    """
    types = {'publish_joint_states': bool, 'use_sim_time': bool, 'robot_description': str}
    return {
        name: ParameterValue(LaunchConfiguration(name), value_type=value_type)
        for name, value_type in types.items()
        if LaunchConfiguration(name).perform(context)
    }
